"""The adapters, against the real packages."""

from __future__ import annotations

import io
import random

import pytest

import petard
from petard import Board, Limit, Move, pgn

pyspiel = pytest.importorskip("pyspiel")

from petard.adapters import openspiel  # noqa: E402


@pytest.mark.parametrize("size", [(8, 8), (6, 6), (5, 7), (8, 6), (5, 5), (3, 4)])
def test_openspiel_plays_the_same_game(size: tuple[int, int]) -> None:
    game = pyspiel.load_game("breakthrough", {"columns": size[0], "rows": size[1]})
    for seed in range(5):
        choice = random.Random(seed)
        state, board = game.new_initial_state(), openspiel.start_board(game)
        assert (board.files, board.ranks) == size and board.turn is petard.BLACK
        while not state.is_terminal():
            assert board.turn is (petard.BLACK if state.current_player() == 0 else petard.WHITE)
            texts = [openspiel.action_to_uci(state, action) for action in state.legal_actions()]
            assert sorted(texts) == board.legal_moves.uci()
            move = choice.choice(sorted(board.legal_moves))
            state.apply_action(openspiel.action_from_move(state, move))
            board.push(move)
        assert board.is_game_over()
        winner = petard.BLACK if state.returns()[0] > 0 else petard.WHITE
        outcome = board.outcome()
        assert outcome is not None and outcome.winner is winner
        again = openspiel.board_from_state(state)
        assert again == board and again.move_stack == board.move_stack
        other = openspiel.state_from_board(board)
        assert other.history() == state.history() and str(other) == str(state)


def test_openspiel_refuses() -> None:
    state = pyspiel.load_game("breakthrough").new_initial_state()
    with pytest.raises(petard.IllegalMoveError):
        openspiel.action_from_move(state, Move.from_uci("a2a3"))
    with pytest.raises(ValueError, match="Black to move"):
        openspiel.state_from_board(Board())
    with pytest.raises(ValueError, match="tic_tac_toe"):
        openspiel.start_board(pyspiel.load_game("tic_tac_toe"))


def test_the_bot_beats_a_random_one_as_either_player() -> None:
    game = pyspiel.load_game("breakthrough")
    bot = openspiel.PetardBot(Limit(nodes=300))
    for player in (0, 1):
        other = pyspiel.make_uniform_random_bot(1 - player, 3)
        bots = [bot, other] if player == 0 else [other, bot]
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, 7)
        assert returns[player] == 1.0


def test_kaggle_environments() -> None:
    kaggle_environments = pytest.importorskip("kaggle_environments")
    from petard.adapters.kaggle import agent, make_agent

    quick = make_agent(Limit(nodes=300))
    for players, player in (([quick, "random"], 0), (["random", quick], 1)):
        environment = kaggle_environments.make("open_spiel_breakthrough")
        environment.run(players)
        last = environment.steps[-1]
        assert [entry.status for entry in last] == ["DONE", "DONE"]
        assert last[player].reward > last[1 - player].reward
    assert agent({"playerId": 0}, {}) is None


def test_python_chess_plays_the_same_game() -> None:
    chess = pytest.importorskip("chess")
    from petard.adapters.chess import BreakthroughBoard, from_chess, to_chess
    from petard.notation import parse_move

    for seed in range(4):
        choice = random.Random(seed)
        board, other = Board(), BreakthroughBoard()
        while not board.is_game_over():
            assert sorted(move.uci() for move in other.legal_moves) == board.legal_moves.uci()
            for legal in other.legal_moves:
                assert other.parse_san(other.san(legal)) == legal
                assert other.parse_san(other.lan(legal)) == legal
                assert other.find_move(legal.from_square, legal.to_square) == legal
                assert parse_move(board, other.san(legal)).uci() == legal.uci()
            move = choice.choice(list(board.legal_moves))
            board.push(move)
            other.push_uci(move.uci())
            assert from_chess(other) == board
        assert other.is_game_over() and other.result() == board.result()
        assert to_chess(board).fen() == other.fen()
        assert from_chess(other).move_stack == board.move_stack
    assert list(other.legal_moves) == []
    with pytest.raises(ValueError, match="8x8"):
        to_chess(Board("6x6"))
    with pytest.raises(petard.InvalidFenError):
        from_chess(chess.Board())
    with pytest.raises(chess.IllegalMoveError):
        BreakthroughBoard().push_uci("a2a4")


def test_python_chess_writes_what_it_and_petard_read() -> None:
    pytest.importorskip("chess.pgn")
    import chess.pgn

    from petard.adapters.chess import BreakthroughBoard, from_chess, to_chess

    board = Board().random_playout(seed=3)
    text = str(chess.pgn.Game.from_board(to_chess(board)))
    assert pgn.read_game(text).end().board().move_stack == board.move_stack
    for written in (text, str(pgn.Game.from_board(board))):
        game = chess.pgn.read_game(io.StringIO(written))
        assert game is not None and not game.errors
        assert from_chess(game.end().board()).move_stack == board.move_stack
    assert BreakthroughBoard().variation_san([chess.Move.from_uci("b2a3")]) == "1. ba3"


def test_python_chess_drives_the_command() -> None:
    pytest.importorskip("chess.engine")
    import chess.engine

    from petard.adapters.chess import BreakthroughBoard, popen, to_chess

    with popen(timeout=120) as engine:
        assert engine.id["name"].startswith("petard")
        board = BreakthroughBoard()
        for _ in range(4):
            result = engine.play(board, chess.engine.Limit(nodes=200))
            assert result.move is not None
            assert result.move in board.legal_moves
            board.push(result.move)
        infos = engine.analyse(board, chess.engine.Limit(depth=5), multipv=2)
        assert len(infos) == 2 and infos[0]["pv"][0] in board.legal_moves
        won = to_chess(Board("1p3p2/8/4P3/8/8/8/8/3P4 w 0 1"))
        info = engine.analyse(won, chess.engine.Limit(depth=5))
        assert info["score"].white().mate() == 2
