"""Entry point of ``python -m headwater_cli``, which runs the command under the calling interpreter."""

from headwater_cli.main import main

if __name__ == "__main__":
    main()
