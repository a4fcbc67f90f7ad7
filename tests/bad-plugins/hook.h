/* hook.h: the places at which an animal may throw, abort, exit or hang. */
#ifndef ZOO_HOOK_H
#define ZOO_HOOK_H
/* Where a fault throws, aborts, exits or hangs. Written in C++, since C cannot throw. Does nothing in the other animals. */
enum { AT_PROMISES = 1, AT_CREATE, AT_CONNECT, AT_RECEIVE, AT_SETTLE, AT_SEND, AT_FREE_BATCH, AT_FREE, AT_CONTROL, AT_CANCEL };
#ifdef __cplusplus
extern "C"
#endif
void zoo_hook(int at);
#endif
