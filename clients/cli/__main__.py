"""`python -m warledger.clients.cli`: the same as the command `warledger`."""

from warledger.clients.cli import main

if __name__ == "__main__":
    main()
