"""``python -m headwater_cli``: the command under the interpreter that it is called with."""

from headwater_cli.main import main

if __name__ == "__main__":
    main()
