"""Makes the files of the zoo that no compiler makes: broken_files.py GOOD.so FOLDER"""
import os
import shutil
import struct
import sys

good, folder = sys.argv[1:]


def path(name):
    p = os.path.join(folder, f"libmqb_bad_{name}.so")
    if os.path.isdir(p) and not os.path.islink(p):
        shutil.rmtree(p)
    elif os.path.lexists(p):
        os.remove(p)
    return p


whole = open(good, "rb").read()
open(path("text_file"), "w").write("This is not a library.\n")
open(path("empty_file"), "wb").close()
open(path("cut_file"), "wb").write(whole[:400])  # within the program headers
offset = struct.unpack_from("<Q", whole, 32)[0]  # e_phoff; PT_DYNAMIC is what a loader reads first
dynamic = next(h[2] for h in (struct.unpack_from("<IIQQQQQQ", whole, offset + 56 * i) for i in range(16)) if h[0] == 2)
open(path("cut_in_data"), "wb").write(whole[: dynamic & ~4095])  # maps, and faults while it is relocated
other = bytearray(whole)
other[18:20] = (0xF3).to_bytes(2, "little")  # e_machine: RISC-V
open(path("other_architecture"), "wb").write(other)
os.mkdir(path("directory"))
os.mkfifo(path("pipe"))
os.symlink("libmqb_nowhere.so", path("dangling_link"))
shutil.copy(good, path("unreadable"))
os.chmod(os.path.join(folder, "libmqb_bad_unreadable.so"), 0)
