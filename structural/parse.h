// The one place where tree-sitter's C API is called: a file goes in, a flat tree comes
// out, in a single call. See parse.c.
#ifndef TOOLPATH_PARSE_H
#define TOOLPATH_PARSE_H

#include <stdint.h>

// Flags of a node.
enum {
  TP_NAMED = 1,    // not a mere token of the grammar
  TP_EXTRA = 2,    // may stand anywhere, as comments do
  TP_MISSING = 4,  // the parser made it up to go on
  TP_ERROR = 8,    // what the parser could not read
  TP_FAULTY = 16,  // it or a node below it is missing or an error
};

// A node; nodes are stored in pre-order. Same layout as Node in tree.go.
typedef struct {
  uint32_t start, end;  // bytes
  uint32_t parent;      // index; the root is its own
  uint32_t next;        // index of the first node that is not below it
  uint16_t kind, field; // numbers of the grammar; field 0: none
  uint32_t flags;
} tp_node;

// A capture of the language's query.
typedef struct {
  uint32_t match, name, node;
} tp_capture;

typedef struct {
  tp_node *nodes;
  uint32_t count;
  tp_capture *captures;
  uint32_t capture_count;
  int status;
} tp_result;

enum { TP_OK, TP_TIME, TP_SIZE, TP_LANGUAGE };

void tp_init(void);

// Parses length bytes of source, until deadline_ns nanoseconds have passed or the tree has
// more than max_nodes nodes. query may be null. What is in the result is freed by tp_free,
// whatever the status.
void tp_parse(const void *language, const void *query, const char *source, uint32_t length,
              uint64_t deadline_ns, uint32_t max_nodes, tp_result *result);
void tp_free(tp_result *result);

// Compiles a query; null if it is wrong at *error_offset. It is never freed.
const void *tp_query(const void *language, const char *source, uint32_t length, uint32_t *error_offset);
uint32_t tp_capture_count(const void *query);
const char *tp_capture_name(const void *query, uint32_t index, uint32_t *length);

uint32_t tp_kind_count(const void *language);
const char *tp_kind_name(const void *language, uint16_t kind);
uint32_t tp_field_count(const void *language);
const char *tp_field_name(const void *language, uint16_t field);

// Gives memory that was freed back to the system, where the C library can.
void tp_trim(void);

#endif
