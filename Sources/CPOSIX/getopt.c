#include "carillon_getopt.h"
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* getopt keeps its place in globals, and tests read several command lines at once. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* Numbers of options start above every character, so that they differ from short options (-h alone). */
enum { FIRST = 256 };

/* getopt accepts unambiguous beginnings of names. They would break with the next option that is added. */
static int is_whole(const char *word, const char *name) {
  size_t length = strlen(name);
  return strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0
    && (word[2 + length] == '\0' || word[2 + length] == '=');
}

static struct carillon_option_finding finding(enum carillon_option_kind kind, int index, const char *text) {
  struct carillon_option_finding result = {kind, index, text};
  return result;
}

static struct carillon_option_finding set(char **words, const char *name, int index) {
  const char *word = words[optind - 1];
  if (optarg == word) word = words[optind - 2];
  if (!is_whole(word, name)) return finding(CARILLON_OPTION_UNKNOWN, -1, word);
  return finding(CARILLON_OPTION_SET, index, optarg);
}

/* The word of an unknown option. Within a bundle such as -abc, optind has not left the word yet. */
static const char *unknown(char **words, int count) {
  const char *last = words[optind - 1];
  if (optopt > 0 && optopt < FIRST && !(last[0] == '-' && last[1] == optopt) && optind < count) return words[optind];
  return last;
}

static struct carillon_option_finding fault(char **words, int count, int code, int option_count) {
  int index = optopt - FIRST;
  if (index < 0 || index >= option_count) return finding(CARILLON_OPTION_UNKNOWN, -1, unknown(words, count));
  return finding(code == ':' ? CARILLON_OPTION_NO_ARGUMENT : CARILLON_OPTION_NOT_A_CHOICE, index, words[optind - 1]);
}

static int place_of(const char *name, const struct carillon_option *options, int option_count) {
  for (int i = 0; i < option_count; i++)
    if (strcmp(options[i].name, name) == 0) return i;
  return -1;
}

int carillon_getopt(
  int count, char **words, const struct carillon_option *options, int option_count, int leading,
  struct carillon_option_finding *findings) {
  struct option *table = calloc((size_t)option_count + 1, sizeof *table);
  if (!table) return -1;
  for (int i = 0; i < option_count; i++) {
    table[i].name = options[i].name;
    table[i].has_arg = options[i].takes_argument ? required_argument : no_argument;
    table[i].val = FIRST + i;
  }
  int found = 0, code;
  pthread_mutex_lock(&turn);
  opterr = 0;
  optind = 0; /* glibc: start anew, whatever the last command line left behind */
  const int help = place_of("help", options, option_count);
  const char *shorts = leading ? (help < 0 ? "+:" : "+:h") : (help < 0 ? ":" : ":h");
  while ((code = getopt_long(count, words, shorts, table, NULL)) != -1) {
    if (code == 'h')
      findings[found] = finding(CARILLON_OPTION_SET, help, NULL);
    else if (code >= FIRST)
      findings[found] = set(words, options[code - FIRST].name, code - FIRST);
    else
      findings[found] = fault(words, count, code, option_count);
    if (findings[found++].kind == CARILLON_OPTION_UNKNOWN) break;
  }
  if (code == -1)
    while (optind < count) findings[found++] = finding(CARILLON_OPTION_OPERAND, -1, words[optind++]);
  pthread_mutex_unlock(&turn);
  free(table);
  return found;
}
