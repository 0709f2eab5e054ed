"""Runs `/tmp/main.py` as `python3 /tmp/main.py` does, without frames of ours in the traceback. Its value is the function."""


def run(code):
    import atexit
    import sys
    import traceback

    with open("/tmp/main.py", "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(code)
    main = type(sys)("__main__")
    main.__file__ = "/tmp/main.py"
    sys.modules["__main__"] = main
    sys.argv = ["/tmp/main.py"]
    # Output is buffered as CPython does for a pipe; a crossing into JavaScript for every line would take a millisecond.
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        stream = open(
            number,
            "w" if number else "r",
            encoding=old.encoding,
            errors=old.errors,
            closefd=False,
            buffering=1 if number == 2 else -1,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    status = 0
    try:
        exec(compile(code, "/tmp/main.py", "exec"), main.__dict__)
    except SystemExit as exit:
        status = exit.code
        if status is None:
            status = 0
        elif not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException as error:
        frames = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, frames)
        status = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status & 0xFF


run  # noqa: B018 (the value of this program)
