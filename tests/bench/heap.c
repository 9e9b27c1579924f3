/* Counts the bytes that a process has on its heap, and the most since `heap_reset`: cc -shared -fPIC -o heap.so heap.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_llong now, most;

static void *counted(void *p) {
    if (p) {
        long long held = atomic_fetch_add(&now, (long long)malloc_usable_size(p)) + (long long)malloc_usable_size(p);
        long long seen = atomic_load(&most);
        while (held > seen && !atomic_compare_exchange_weak(&most, &seen, held)) {
        }
    }
    return p;
}

static void uncounted(void *p) {
    if (p) atomic_fetch_sub(&now, (long long)malloc_usable_size(p));
}

long long heap_reset(void) {
    long long held = atomic_load(&now);
    atomic_store(&most, held);
    return held;
}
long long heap_most(void) { return atomic_load(&most); }

void *malloc(size_t n) { return counted(__libc_malloc(n)); }
void *calloc(size_t n, size_t size) { return counted(__libc_calloc(n, size)); }
void *memalign(size_t align, size_t n) { return counted(__libc_memalign(align, n)); }
void *aligned_alloc(size_t align, size_t n) { return counted(__libc_memalign(align, n)); }
int posix_memalign(void **p, size_t align, size_t n) {
    *p = counted(__libc_memalign(align, n));
    return *p ? 0 : ENOMEM;
}
void *realloc(void *p, size_t n) {
    uncounted(p);
    void *q = __libc_realloc(p, n);
    if (!q && n) counted(p);
    return counted(q);
}
void free(void *p) {
    uncounted(p);
    __libc_free(p);
}
