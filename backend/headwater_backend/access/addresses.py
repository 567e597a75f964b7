"""Addresses on the network."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_address(host: str) -> bool:
    """Whether the text is an address, and not a host name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def network_of(host: str) -> str:
    """The key of a client for counting requests: its address, or the /64 network of an IPv6 address.

    One machine has all the addresses of such a network. A text that is no address is ``unknown``.
    """
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address) and not found.ipv4_mapped:
        return str(ipaddress.IPv6Network((int(found), 64), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)
