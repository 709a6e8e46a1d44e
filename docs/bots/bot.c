/* A bot for Breakthrough, the same as bot.py: it steps onto the last rank if it can, else it
   moves at random.
   cc -O2 -o bot bot.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define START "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w"

/* By rank and file, counted from 0; 0 is empty. Boards have up to 128 squares: two files have 64
   ranks, and four ranks 32 files. */
static char board[64][32];
static int files, ranks;
static char side; /* 'P' or 'p' */

static void read_fen(const char *fen) {
    const char *end = strchr(fen, ' ');
    memset(board, 0, sizeof board);
    ranks = 1;
    for (const char *c = fen; c < end; c++) ranks += *c == '/';
    int rank = ranks - 1, file = 0;
    for (const char *c = fen; c < end;) {
        if (*c == '/') {
            rank--, file = 0, c++;
        } else if (*c >= '0' && *c <= '9') {
            file += (int)strtol(c, (char **)&c, 10);
        } else {
            board[rank][file++] = *c++;
        }
        files = file;
    }
    side = end[1] == 'w' ? 'P' : 'p';
}

/* Reads a square: files a to z, then aa to af. Returns what follows. */
static const char *read_square(const char *text, int *file, int *rank) {
    char *rest;
    *file = *text++ - 'a';
    if (*text >= 'a') *file = 26 + *text++ - 'a';
    *rank = (int)strtol(text, &rest, 10) - 1;
    return rest;
}

static void print_square(char *text, int file, int rank) {
    sprintf(text, "%s%c%d", file < 26 ? "" : "a", 'a' + file % 26, rank + 1);
}

static void play(const char *move) {
    int file, rank, to, ahead;
    read_square(read_square(move, &file, &rank), &to, &ahead);
    board[rank][file] = 0;
    board[ahead][to] = side;
    side = side == 'P' ? 'p' : 'P';
}

/* How good a move looks. To make the bot stronger, begin here. */
static int worth(int file, int rank, int to, int ahead) {
    (void)file, (void)rank, (void)to; /* not used yet */
    if (ahead == 0 || ahead == ranks - 1) return RAND_MAX; /* it wins */
    return rand() / 2;
}

static void go(void) {
    int best = -1;
    char move[32] = "(none)";
    for (int rank = 0; rank < ranks; rank++) {
        int ahead = side == 'P' ? rank + 1 : rank - 1;
        for (int file = 0; file < files; file++) {
            if (board[rank][file] != side) continue;
            for (int to = file - 1; to <= file + 1; to++) {
                if (to < 0 || to >= files || board[ahead][to] == side) continue;
                if (to == file && board[ahead][to]) continue;
                int value = worth(file, rank, to, ahead);
                if (value <= best) continue;
                best = value;
                print_square(move, file, rank);
                print_square(move + strlen(move), to, ahead);
            }
        }
    }
    printf("info depth 1 score cp 1 pv %s\nbestmove %s\n", move, move);
}

int main(void) {
    static char line[1 << 20];
    srand((unsigned)time(NULL));
    read_fen(START);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "uci")) {
            puts("id name bot.c\nid author you");
            puts("option name UCI_Variant type combo default breakthrough var breakthrough\nuciok");
        } else if (!strcmp(line, "isready")) {
            puts("readyok");
        } else if (!strncmp(line, "position ", 9)) {
            char *moves = strstr(line, " moves ");
            char *fen = strstr(line, " fen ");
            read_fen(fen ? fen + 5 : START);
            for (char *move = moves ? strtok(moves + 7, " ") : NULL; move; move = strtok(NULL, " "))
                play(move);
        } else if (!strncmp(line, "go", 2)) {
            go();
        } else if (!strcmp(line, "quit")) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
