/* banned: functions that do not know the size of what they write.  Included by the compiler in every file
 * (-include). */
#ifndef HANDLER_BASE_BANNED_H
#define HANDLER_BASE_BANNED_H

#include <stdio.h>
#include <string.h>

#define BANNED(function) function##_is_banned_use_buf_or_snprintf
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef gets
#undef strtok
#define strcpy(a, b)     BANNED(strcpy)
#define strcat(a, b)     BANNED(strcat)
#define strncpy(a, b, n) BANNED(strncpy)
#define strncat(a, b, n) BANNED(strncat)
#define sprintf(...)     BANNED(sprintf)
#define vsprintf(...)    BANNED(vsprintf)
#define strtok(a, b)     BANNED(strtok)

#endif
