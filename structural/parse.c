//go:build cgo

#define _GNU_SOURCE
#include "parse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// What we use of tree-sitter 0.25's interface (tree_sitter/api.h). Its header is in another
// module, where cgo does not look.
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct TSQuery TSQuery;
typedef struct TSQueryCursor TSQueryCursor;
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct { TSNode node; uint32_t index; } TSQueryCapture;
typedef struct { uint32_t id; uint16_t pattern_index, capture_count; const TSQueryCapture *captures; } TSQueryMatch;
typedef struct { void *payload; uint32_t current_byte_offset; bool has_error; } TSParseState;
typedef struct { void *payload; bool (*progress_callback)(TSParseState *); } TSParseOptions;
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t offset, TSPoint position, uint32_t *length);
  int encoding; // 0: UTF-8
  void *decode;
} TSInput;

extern void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
extern TSParser *ts_parser_new(void);
extern void ts_parser_delete(TSParser *);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
extern TSTree *ts_parser_parse_with_options(TSParser *, const TSTree *, TSInput, TSParseOptions);
extern TSNode ts_tree_root_node(const TSTree *);
extern void ts_tree_delete(TSTree *);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern void ts_tree_cursor_delete(TSTreeCursor *);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern uint16_t ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern bool ts_node_is_named(TSNode);
extern bool ts_node_is_extra(TSNode);
extern bool ts_node_is_missing(TSNode);
extern bool ts_node_is_error(TSNode);
extern bool ts_node_has_error(TSNode);
extern TSQuery *ts_query_new(const TSLanguage *, const char *, uint32_t, uint32_t *, int *);
extern uint32_t ts_query_capture_count(const TSQuery *);
extern const char *ts_query_capture_name_for_id(const TSQuery *, uint32_t, uint32_t *);
extern TSQueryCursor *ts_query_cursor_new(void);
extern void ts_query_cursor_delete(TSQueryCursor *);
extern void ts_query_cursor_set_match_limit(TSQueryCursor *, uint32_t);
extern void ts_query_cursor_exec(TSQueryCursor *, const TSQuery *, TSNode);
extern bool ts_query_cursor_next_match(TSQueryCursor *, TSQueryMatch *);
extern uint32_t ts_language_symbol_count(const TSLanguage *);
extern const char *ts_language_symbol_name(const TSLanguage *, uint16_t);
extern uint32_t ts_language_field_count(const TSLanguage *);
extern const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);

// The Go binding makes every allocation of the library a call into Go and back; with none
// set, the library uses malloc.
void tp_init(void) { ts_set_allocator(NULL, NULL, NULL, NULL); }

// Of this thread alone where there is such a clock: what is said of a file must not depend
// on what else the machine does.
static uint64_t now_ns(void) {
  struct timespec t;
#ifdef CLOCK_THREAD_CPUTIME_ID
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
#else
  clock_gettime(CLOCK_MONOTONIC, &t);
#endif
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

typedef struct {
  const char *source;
  uint32_t length;
} input;

static const char *read_input(void *payload, uint32_t offset, TSPoint position, uint32_t *length) {
  (void)position;
  const input *in = payload;
  if (offset >= in->length) {
    *length = 0;
    return "";
  }
  *length = in->length - offset;
  return in->source + offset;
}

static bool is_late(TSParseState *state) { return now_ns() > *(const uint64_t *)state->payload; }

// Makes room for one more element.
static bool grow(void **array, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return true;
  uint32_t more = *room ? *room * 2 : 1024;
  void *bigger = realloc(*array, (size_t)more * size);
  if (!bigger) return false;
  *array = bigger;
  *room = more;
  return true;
}

typedef struct {
  const void **array; // of tree-sitter's ids, by index of the node
  uint32_t room;
} ids;

// Copies the tree in pre-order. Returns TP_OK, TP_SIZE or TP_TIME.
static int flatten(TSNode root, uint64_t deadline, uint32_t max_nodes, tp_result *r, ids *ids) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  uint32_t room = 0, parent = 0;
  int status = TP_OK;
  for (bool done = false; !done;) {
    if (r->count >= max_nodes || !grow((void **)&r->nodes, r->count, &room, sizeof(tp_node)) ||
        (ids && !grow((void **)&ids->array, r->count, &ids->room, sizeof(void *)))) {
      status = TP_SIZE;
      break;
    }
    if (r->count % 65536 == 65535 && now_ns() > deadline) {
      status = TP_TIME;
      break;
    }
    TSNode node = ts_tree_cursor_current_node(&cursor);
    uint32_t at = r->count++;
    if (ids) ids->array[at] = node.id;
    tp_node *n = &r->nodes[at];
    n->start = ts_node_start_byte(node);
    n->end = ts_node_end_byte(node);
    n->parent = parent;
    n->next = 0;
    n->kind = ts_node_symbol(node);
    n->field = ts_tree_cursor_current_field_id(&cursor);
    n->flags = (ts_node_is_named(node) ? TP_NAMED : 0) | (ts_node_is_extra(node) ? TP_EXTRA : 0) |
               (ts_node_is_missing(node) ? TP_MISSING : 0) | (ts_node_is_error(node) ? TP_ERROR : 0) |
               (ts_node_has_error(node) ? TP_FAULTY : 0);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      parent = at;
      continue;
    }
    n->next = r->count;
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        done = true;
        break;
      }
      r->nodes[parent].next = r->count;
      parent = r->nodes[parent].parent;
    }
  }
  ts_tree_cursor_delete(&cursor);
  return status;
}

// The index of the node, by its id among those that start where it does.
static uint32_t index_of(const tp_result *r, const ids *ids, TSNode node) {
  uint32_t start = ts_node_start_byte(node), low = 0, high = r->count;
  while (low < high) { // starts do not fall in pre-order
    uint32_t middle = low + (high - low) / 2;
    if (r->nodes[middle].start < start) low = middle + 1;
    else high = middle;
  }
  // The cursor makes the id of a node out of its place in its parent, as the node has it.
  for (; low < r->count && r->nodes[low].start == start; low++) {
    if (ids->array[low] == node.id) return low;
  }
  return UINT32_MAX;
}

static void run_query(const TSQuery *query, TSNode root, uint64_t deadline, tp_result *r, const ids *ids) {
  TSQueryCursor *cursor = ts_query_cursor_new();
  uint32_t room = 0, matches = 0;
  ts_query_cursor_set_match_limit(cursor, 4096);
  ts_query_cursor_exec(cursor, query, root);
  TSQueryMatch match;
  for (; ts_query_cursor_next_match(cursor, &match); matches++) {
    if (matches % 1024 == 1023 && now_ns() > deadline) {
      r->status = TP_TIME;
      break;
    }
    for (uint16_t i = 0; i < match.capture_count; i++) {
      uint32_t node = index_of(r, ids, match.captures[i].node);
      if (node == UINT32_MAX) continue;
      if (!grow((void **)&r->captures, r->capture_count, &room, sizeof(tp_capture))) break;
      tp_capture *c = &r->captures[r->capture_count++];
      c->match = matches;
      c->name = match.captures[i].index;
      c->node = node;
    }
  }
  ts_query_cursor_delete(cursor);
}

void tp_parse(const void *language, const void *query, const char *source, uint32_t length,
              uint64_t deadline_ns, uint32_t max_nodes, tp_result *r) {
  memset(r, 0, sizeof *r);
  uint64_t deadline = now_ns() + deadline_ns;
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, language)) {
    ts_parser_delete(parser);
    r->status = TP_LANGUAGE;
    return;
  }
  input in = {source, length};
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, (TSInput){&in, read_input, 0, NULL},
                                              (TSParseOptions){&deadline, is_late});
  if (!tree) {
    r->status = TP_TIME;
  } else {
    ids ids = {0};
    TSNode root = ts_tree_root_node(tree);
    r->status = flatten(root, deadline, max_nodes, r, query ? &ids : NULL);
    if (r->status == TP_OK && query) run_query(query, root, deadline, r, &ids);
    free(ids.array);
    ts_tree_delete(tree);
  }
  ts_parser_delete(parser);
}

void tp_free(tp_result *r) {
  free(r->nodes);
  free(r->captures);
}

const void *tp_query(const void *language, const char *source, uint32_t length, uint32_t *error_offset) {
  int kind;
  return ts_query_new(language, source, length, error_offset, &kind);
}

uint32_t tp_capture_count(const void *query) { return ts_query_capture_count(query); }

const char *tp_capture_name(const void *query, uint32_t index, uint32_t *length) {
  return ts_query_capture_name_for_id(query, index, length);
}

uint32_t tp_kind_count(const void *language) { return ts_language_symbol_count(language); }
const char *tp_kind_name(const void *language, uint16_t kind) { return ts_language_symbol_name(language, kind); }
uint32_t tp_field_count(const void *language) { return ts_language_field_count(language); }
const char *tp_field_name(const void *language, uint16_t field) { return ts_language_field_name_for_id(language, field); }

void tp_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
