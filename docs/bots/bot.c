/* A bot for Breakthrough: it wins if it can, else captures if it can, else moves at random.
   cc -O2 -o bot bot.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1"

static char board[64][26]; /* by rank and file, from White's left; 0 is empty */
static int files, ranks;
static char side; /* 'P' or 'p' */

static void set_fen(const char *fen) {
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

/* Plays a move such as a2b3. */
static void play(const char *move) {
    char *rest;
    int from = move[0] - 'a', start = (int)strtol(move + 1, &rest, 10) - 1;
    int to = rest[0] - 'a', target = (int)strtol(rest + 1, NULL, 10) - 1;
    board[target][to] = board[start][from];
    board[start][from] = 0;
    side ^= 'P' ^ 'p';
}

static void go(void) {
    int best = -1, count = 0, step = side == 'P' ? 1 : -1;
    char move[32] = "(none)";
    for (int rank = 0; rank < ranks; rank++) {
        int next = rank + step;
        if (next < 0 || next >= ranks) continue;
        for (int file = 0; file < files; file++) {
            if (board[rank][file] != side) continue;
            for (int to = file - 1; to <= file + 1; to++) {
                if (to < 0 || to >= files || board[next][to] == side) continue;
                if (to == file && board[next][to]) continue;
                int is_win = next == 0 || next == ranks - 1;
                int worth = (2 * is_win + (board[next][to] != 0)) * 1000 + rand() % 1000;
                count++;
                if (worth <= best) continue;
                best = worth;
                snprintf(move, sizeof move, "%c%d%c%d", 'a' + file, rank + 1, 'a' + to, next + 1);
            }
        }
    }
    if (count) printf("info depth 1 score cp 1 nodes %d nps 1000 time 1 pv %s\n", count, move);
    printf("bestmove %s\n", move);
}

int main(void) {
    static char line[1 << 20];
    set_fen(START);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "quit")) break;
        if (!strcmp(line, "uci")) {
            puts("id name bot.c\nid author you");
            puts("option name UCI_Variant type combo default breakthrough var breakthrough\nuciok");
        } else if (!strcmp(line, "isready")) {
            puts("readyok");
        } else if (!strncmp(line, "position ", 9)) {
            char *moves = strstr(line, " moves ");
            char *fen = strstr(line, " fen ");
            set_fen(fen ? fen + 5 : START);
            for (char *move = moves ? strtok(moves + 7, " ") : NULL; move; move = strtok(NULL, " "))
                play(move);
        } else if (!strncmp(line, "go", 2)) {
            go();
        }
        fflush(stdout);
    }
    return 0;
}
