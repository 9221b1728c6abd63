#ifndef CARILLON_GETOPT_H
#define CARILLON_GETOPT_H

/* One finding of getopt_long. Swift's Glibc does not offer `optarg` and its kin, since they are globals. */
enum carillon_option_kind {
  CARILLON_OPTION_SET,          /* options[index], with its argument where it takes one */
  CARILLON_OPTION_UNKNOWN,      /* text: the word as it was typed */
  CARILLON_OPTION_NO_ARGUMENT,  /* options[index] needs an argument and has none */
  CARILLON_OPTION_NOT_A_CHOICE, /* options[index] takes no argument and was given one */
  CARILLON_OPTION_OPERAND       /* text: a word that is no option */
};

struct carillon_option_finding {
  enum carillon_option_kind kind;
  int index;
  const char *text;
};

/* A long option; the position in the table is its number. */
struct carillon_option {
  const char *name;
  int takes_argument;
};

/*
 * Reads the words of one command line with getopt_long. `words` has `count` elements and a NULL behind them, as `argv`
 * has, the program's name first; it is permuted, as getopt does. `findings` has room for `count` elements.
 * `leading`: stops at the first operand, which getopt calls "+". Gives the number of findings, -1 without memory.
 */
int carillon_getopt(
  int count, char **words, const struct carillon_option *options, int option_count, int leading,
  struct carillon_option_finding *findings);

#endif
