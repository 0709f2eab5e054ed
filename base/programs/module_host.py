"""Runs a Python module of the user's for `OwnModule`: `python3 module_host.py FILE`.

Speaks on file descriptor 3 as ownModule.ts says, and answers each question by the module's function `answer`.
"""

import asyncio
import importlib.util
import inspect
import json
import os
import signal
import sys
import threading
import time
import traceback

LOOK_EVERY_S = 0.5


def main(file: str) -> None:
    # Programs that the module starts get no hold of it.
    channel = os.dup(3)
    os.close(3)
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    questions = os.fdopen(channel, "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(channel), "w", encoding="utf-8", newline="\n")

    def say(said: dict) -> None:
        answers.write(as_line(said))
        answers.flush()

    try:
        answer = load(file)
    except Exception as error:
        say({"error": described(error, file)})
        return
    say({"ready": True})
    for line in questions:
        asked = json.loads(line)
        try:
            said = {"value": answered(answer, asked["question"])}
        except Exception as error:
            said = {"error": described(error, file)}
        try:
            say({"id": asked["id"], **said})
        except (TypeError, ValueError, RecursionError) as error:
            name = os.path.basename(file)
            say({"id": asked["id"], "error": f"{name}: answered with what JSON cannot hold: {error}"})


def load(file: str):
    sys.path[0] = os.path.dirname(file)
    spec = importlib.util.spec_from_file_location("own_module", file)
    module = importlib.util.module_from_spec(spec)
    # Data classes look their module up.
    sys.modules["own_module"] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, "answer", None)):
        got = type(module.answer).__name__ if hasattr(module, "answer") else "nothing of that name"
        raise NoFunction(f"{os.path.basename(file)}: expected a function `answer`, got {got}")
    return module.answer


class NoFunction(Exception):
    pass


def answered(answer, question):
    value = answer(question)
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def as_line(said: dict) -> str:
    return json.dumps(said, allow_nan=False) + "\n"


def described(error: Exception, file: str) -> str:
    """`judge.py:3: KeyError: 'x'`: the innermost place in the module's folder."""
    if isinstance(error, NoFunction):
        return str(error)
    folder = os.path.dirname(file) + os.sep
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    own = [place for place in places if place[0].startswith(folder) and "site-packages" not in place[0]]
    path, line = own[-1] if own else (file, None)
    place = os.path.relpath(path, folder) + ("" if line is None else f":{line}")
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {message}".rstrip(": ")


def end_with_parent(parent: int) -> None:
    """A module that never returns does not notice that its parent has ended."""
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os.kill(os.getpid(), signal.SIGKILL)


main(sys.argv[1])
