"""Games as pictures, as SVG and in a window; test_render_text.py has the text."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import gymnasium as gym
import imageio_ffmpeg
import numpy as np
import pygame
import pytest
from gymnasium.error import DependencyNotInstalled, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import HumanRendering, RecordVideo, RenderCollection

from scorpion_env import ENV_IDS, VARIANTS, Layout, Rules
from scorpion_env.cards import RANKS, SUITS, card_text
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.render.design import BACK_COLOUR, CORNER_SCALES, STEP
from scorpion_env.render.faces import card_picture
from scorpion_env.render.picture import Picture
from scorpion_env.render.scene import Face, Table
from scorpion_env.render.text import write_text
from tests.random_games import play_on

IDS = list(ENV_IDS.values())
HIDING = [name for name, rules in VARIANTS.items() if any(rules.layout.face_down)]


@pytest.fixture(autouse=True)
def unseen_and_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows open on no screen and wait for nobody."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(ScorpionEnv.metadata, "render_fps", 1000)


def game_after(name: str, steps: int, seed: int = 3) -> Game:
    game = Game(seed, name)
    play_on(game, seed, steps)
    return game


def deal_into_one_column(rules: Rules) -> Game:
    """The game in which every card lies in the first column, face-up."""
    pack = [card_text(c) + str(c // 52 + 1) for c in range(rules.layout.cards)]
    lines = [f"{number}:" for number in range(1, len(rules.layout.columns) + 1)]
    return Game(deal="\n".join([f"1: {' '.join(pack)}", *lines[1:]]), rules=rules)


def words_of(game: Game) -> list[str]:
    return [word.text for word in Table(game.rules).scene(game.state).words]


@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checker_renders_in_every_mode(env_id: str) -> None:
    env = gym.make(env_id, render_mode="human")
    check_env(env.unwrapped)  # makes one of each mode by itself
    env.close()


@pytest.mark.parametrize("env_id", IDS)
def test_frames_keep_their_size(env_id: str) -> None:
    env = gym.make(env_id, render_mode="rgb_array")
    _, info = env.reset(seed=1)
    frames = [env.render()]
    rng = np.random.default_rng(1)
    for _ in range(40):
        _, _, terminated, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        frames.append(env.render())
        if terminated:
            break
    height, width, depth = frames[0].shape
    assert depth == 3
    assert height % 2 == width % 2 == 0  # or video formats refuse them
    for before, after in pairwise(frames):
        assert (after.shape, after.dtype) == (before.shape, np.uint8)
        assert not np.array_equal(before, after)


@pytest.mark.parametrize("name", VARIANTS)
def test_whole_pack_fits_into_one_column(name: str) -> None:
    rules = VARIANTS[name]
    game = deal_into_one_column(rules)
    width, height = Table(rules).size
    cards = Table(rules).scene(game.state).cards
    assert len(cards) == rules.layout.cards
    assert all(above.y + above.seen == below.y > above.y for above, below in pairwise(cards))
    assert cards[-1].y + cards[-1].seen <= height
    assert [card.corner_scale for card in cards] == [min(CORNER_SCALES)] * (len(cards) - 1) + [1]
    assert Picture(rules).frame(game.state).shape == (height, width, 3)


@pytest.mark.parametrize(
    "layout",
    [
        Layout((4, 3), (0, 0), 1, (0,), suits=2, ranks=4),
        Layout((200, 8), (199, 0), 0, (), decks=4),
        Layout((2,) * 20 + (1,) * 11, (1,) * 20 + (0,) * 11, 1, (30,)),
        Layout((2, 2), (0, 0), 48, ()),
    ],
)
def test_odd_layouts_are_drawn(layout: Layout) -> None:
    rules = Rules(layout, reserve="deal" if layout.reserve_columns else "play")
    game = Game(1, rules)
    width, height = Table(rules).size
    cards = Table(rules).scene(game.state).cards
    assert len(cards) == layout.cards
    assert all(0 <= card.x <= width - 72 and 0 <= card.y <= height - card.seen for card in cards)
    assert len({(card.x, card.y) for card in cards}) == len(cards)
    assert Picture(rules).frame(game.state).shape == (height, width, 3)


@pytest.mark.parametrize("name", VARIANTS)
def test_scene_shows_the_cards_of_the_board(name: str) -> None:
    game = Game(3, name)
    faces = [card.face for card in Table(game.rules).scene(game.state, reveal=True).cards]
    reserve = game.rules.layout.reserve_cards
    shown = [
        "#" * face.face_down + RANKS[face.rank] + SUITS[face.suit]
        for face in faces[reserve:] + faces[:reserve]
    ]
    assert shown == re.findall(rf"#?[{RANKS}][{SUITS}]", game.to_text(reveal=True))


@pytest.mark.parametrize("scale", CORNER_SCALES)
def test_cards_are_told_apart_by_the_strip_that_is_seen(scale: float) -> None:
    strip = (0, 0, 72, int(scale * STEP))
    faces = [Face(rank, suit, False) for rank in range(13) for suit in range(4)]
    strips = {
        pygame.image.tobytes(card_picture(face, scale).subsurface(strip), "RGBA") for face in faces
    }
    assert len(strips) == 52


@pytest.mark.parametrize("name", HIDING)
def test_backs_hide_the_cards(name: str) -> None:
    board = game_after(name, 6).to_text()
    first, other = (Game(seed, name, deal=board) for seed in (1, 2))
    assert first.position.columns != other.position.columns
    picture = Picture(first.rules)
    assert np.array_equal(picture.frame(first.state), picture.frame(other.state))
    assert first.to_svg() == other.to_svg()
    assert write_text(first.rules, first.position) == write_text(other.rules, other.position)
    revealed = (picture.frame(game.state, reveal=True) for game in (first, other))
    assert not np.array_equal(*revealed)
    assert first.to_svg(reveal=True) != other.to_svg(reveal=True)


def test_visible_cards_are_shown() -> None:
    lines = Game(3).to_text().splitlines()
    changed = list(lines)
    one, other = lines[4].split()[-1], lines[5].split()[-1]
    changed[4], changed[5] = lines[4].replace(one, other), lines[5].replace(other, one)
    games = [Game(1, deal="\n".join(text)) for text in (lines, changed)]
    frames = [Picture(game.rules).frame(game.state) for game in games]
    assert not np.array_equal(*frames)
    assert games[0].to_svg() != games[1].to_svg()


def test_reveal_hidden_shows_faces() -> None:
    frames = []
    for reveal in (False, True):
        env = ScorpionEnv(render_mode="rgb_array", reveal_hidden=reveal)
        env.reset(seed=1)
        frames.append(env.render())
    assert not np.array_equal(*frames)
    assert frames[0].shape == frames[1].shape


def test_won_and_lost_games_say_so() -> None:
    board = "\n".join(f"{number}:" for number in range(1, 8))
    won = Game(deal=f"{board}\ncompleted: S, H, D, C\nscore: 515")
    assert words_of(won) == ["Score 515", "Moves 0", "Sequences 4 of 4", "Won"]
    assert "Won" in won.to_svg()
    lost = game_after("classic", 200)
    assert lost.is_stuck
    assert words_of(lost)[-1] == "Lost"
    assert len(words_of(Game(3))) == 3


def test_sequences_that_stay_have_no_slots() -> None:
    runs = [" ".join(rank + suit for rank in "KQJT98765432A") for suit in "CDHS"]
    lines = [f"{number}: {run}" for number, run in enumerate([*runs, "", "", ""], start=1)]
    game = Game(deal="\n".join(lines), rules="traditional")
    assert words_of(game)[2:] == ["Sequences 4 of 4", "Won"]
    assert not Table(game.rules).slots


def test_frames_are_independent() -> None:
    env = ScorpionEnv(render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    kept = first.copy()
    env.step(364)
    second = env.render()
    assert np.array_equal(first, kept)
    second[:] = 0
    assert np.array_equal(deepcopy(env).render(), env.render())
    assert env.render().any()


def test_video_is_recorded(tmp_path: Path) -> None:
    env = gym.make("Scorpion-v0", render_mode="rgb_array")
    env = RecordVideo(env, str(tmp_path / "new"), fps=4)
    env.reset(seed=1)
    frames = [env.unwrapped.render()]
    for _ in range(3):
        env.step(364)
        frames.append(env.unwrapped.render())
    env.close()
    (video,) = tmp_path.rglob("*.mp4")
    as_pixels = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    reader = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", video, *as_pixels]
    done = subprocess.run(reader, capture_output=True, check=True)
    pixels = np.frombuffer(done.stdout, np.uint8)
    difference = np.abs(pixels.reshape(np.shape(frames)).astype(int) - frames)
    assert difference.mean() < 5


def test_frames_are_collected() -> None:
    env = RenderCollection(gym.make("Scorpion-v0", render_mode="rgb_array"))
    env.reset(seed=1)
    env.step(364)
    assert [frame.dtype for frame in env.render()] == [np.uint8, np.uint8]


def test_gymnasiums_window_and_its_end_leave_pictures_alone() -> None:
    env = HumanRendering(gym.make("Scorpion-v0", render_mode="rgb_array"))
    env.reset(seed=1)
    env.step(364)
    frame = env.unwrapped.render()
    env.close()  # ends all of pygame
    assert np.array_equal(env.unwrapped.render(), frame)
    env.unwrapped.reset(seed=2)
    assert not np.array_equal(env.unwrapped.render(), frame)


def test_window_shows_resets_steps_and_restored_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(4000, 4000)])
    envs = [ScorpionEnv(render_mode=mode) for mode in ("human", "rgb_array")]
    saved: list[object] = [None, None]

    def assert_shown() -> None:
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)
        assert np.array_equal(shown, envs[1].render())

    for env in envs:
        env.reset(seed=1)
    assert_shown()
    saved = [env.get_state() for env in envs]
    for env in envs:
        env.step(364)
    assert_shown()
    for env, state in zip(envs, saved, strict=True):
        env.set_state(state)
    assert_shown()
    assert envs[0].render() is None
    envs[0].close()
    assert not pygame.display.get_init()
    envs[0].close()


def test_window_fits_the_desktop() -> None:
    env = ScorpionEnv("double_scorpion", render_mode="human")
    env.reset(seed=1)
    (wide, high), (width, height) = (
        pygame.display.get_desktop_sizes()[0],
        pygame.display.get_window_size(),
    )
    assert width < wide
    assert height < high
    env.close()


def test_game_goes_on_without_the_window() -> None:
    env = ScorpionEnv(render_mode="human")
    env.reset(seed=1)
    pygame.quit()  # by somebody else
    env.step(364)
    assert pygame.display.get_init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))  # by the person
    env.step(364)
    assert not pygame.display.get_init()
    env.reset(seed=2)
    assert not pygame.display.get_init()
    env.close()


def test_nothing_is_rendered_before_the_first_deal() -> None:
    with pytest.raises(ResetNeeded):
        ScorpionEnv(render_mode="rgb_array").render()
    with pytest.raises(ResetNeeded):
        gym.make_vec("Scorpion-v0", render_mode="ansi").render()
    assert ScorpionEnv().render() is None


def test_vector_environment_gives_the_frames_of_single_ones() -> None:
    env = gym.make_vec("Scorpion-v0", num_envs=2, render_mode="rgb_array")
    env.reset(seed=4)
    frames = env.render()
    assert isinstance(frames, tuple)
    single = ScorpionEnv(render_mode="rgb_array")
    for game, frame in enumerate(frames):
        single.reset(seed=4 + game)
        assert np.array_equal(frame, single.render())
    with pytest.raises(ValueError, match="choose one of None, 'ansi', 'rgb_array'"):
        gym.make_vec("Scorpion-v0", render_mode="human")


def test_missing_pygame_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    for name in ("faces", "library", "picture", "window"):
        monkeypatch.delitem(sys.modules, f"scorpion_env.render.{name}", raising=False)
    install = re.escape("pip install 'scorpion-env[render]'")
    env = ScorpionEnv(render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(DependencyNotInstalled, match=install):
        env.render()
    with pytest.raises(DependencyNotInstalled, match=install):
        ScorpionEnv(render_mode="human").reset(seed=1)
    text = ScorpionEnv(render_mode="ansi")
    text.reset(seed=1)
    assert text.render()
    assert Game(1).to_svg()


@pytest.mark.parametrize("name", VARIANTS)
def test_svg_is_scalable_and_shows_a_back_for_each_hidden_card(name: str) -> None:
    game = game_after(name, 30)
    root = ElementTree.fromstring(game._repr_svg_())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    cards = Table(game.rules).scene(game.state).cards
    named = root.findall("{*}g")
    backs = [rect for rect in root.iter() if rect.get("fill") == "#" + bytes(BACK_COLOUR).hex()]
    assert len(backs) == game.to_text().count("##") == sum(card.face is None for card in cards)
    assert len(named) + len(backs) == len(cards)
    revealed = ElementTree.fromstring(game.to_svg(reveal=True))
    assert len(revealed.findall("{*}g")) == len(cards)
