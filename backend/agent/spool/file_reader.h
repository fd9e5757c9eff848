/* file_reader.h - the program that reads one output file for the agent, as its user: `stoker-agent
 * --read-file UID`.
 *
 * It becomes that user before it reads anything, and makes only the system calls of a reader. Its standard
 * input is a socket. The first OUTPUT_READ names the file, which stays; each is answered by OUTPUT_DATA
 * with its tag. A file that is not there yet, or has nothing new, is looked at again for wait_ms. A file
 * server that hangs holds up this process alone; it ends with its input, or after half a minute without a
 * question.
 */
#ifndef STOKER_AGENT_SPOOL_FILE_READER_H
#define STOKER_AGENT_SPOOL_FILE_READER_H

int file_reader_main(const char *uid);

#endif
