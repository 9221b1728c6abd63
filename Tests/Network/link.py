#!/usr/bin/env python3
"""A network link that delays and loses packets, between this machine and a network namespace.

  link.py NAME NEAR FAR DELAY_MS LOSS SEED

It makes a TUN device NAME with the address NEAR here, and one with the address FAR in a namespace of its own, which it keeps:
`nsenter -t PID -n PROGRAM` runs a program behind the link. Each packet is lost with the probability LOSS (0 to 1, a seeded
draw), or arrives DELAY_MS later. SIGUSR1: from now on every packet is lost. SIGUSR2: as before that. It prints `ready`, and
then, at most once a tenth of a second, how many packets have passed and been lost. All of it goes with this process.
"""
import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000


def device(name, address, peer):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    for words in (f"addr add {address} peer {peer} dev {name}", f"link set {name} up"):
        subprocess.run(["ip", *words.split()], check=True)
    return fd


def main():
    name, near, far, delay, loss, seed = sys.argv[1:]
    delay, loss, draw = float(delay) / 1000, float(loss), random.Random(int(seed))
    here = device(name, near, far)
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        sys.exit(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    there = device(name, far, near)
    other = {here: there, there: here}

    is_cut = False

    def cut(number, _):
        nonlocal is_cut
        is_cut = number == signal.SIGUSR1

    signal.signal(signal.SIGUSR1, cut)
    signal.signal(signal.SIGUSR2, cut)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("ready", flush=True)
    waiting, order, passed, lost, told, told_at = [], itertools.count(), 0, 0, None, 0.0
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, sink, packet = heapq.heappop(waiting)
            try:
                os.write(sink, packet)
            except OSError:
                pass
            passed += 1
        if told != (passed, lost) and now - told_at >= 0.1:
            told, told_at = (passed, lost), now
            print(f"passed {passed} lost {lost}", flush=True)
        pause = min(waiting[0][0] - now if waiting else 0.1, 0.1)
        for source in select.select([here, there], [], [], max(pause, 0))[0]:
            packet = os.read(source, 65536)
            if is_cut or draw.random() < loss:
                lost += 1
            else:
                heapq.heappush(waiting, (time.monotonic() + delay, next(order), other[source], packet))


main()
