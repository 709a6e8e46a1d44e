/* The one function of bcryptprimitives.dll that Rust's standard library needs, for
 * a Wine that does not have the DLL yet (before 9): random bytes. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
    return RtlGenRandom(data, (ULONG)length);
}
