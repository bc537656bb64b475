import re
from pathlib import Path

import matplotlib.pyplot as plt

for f in sorted(Path().glob("*_flow1.txt")):
    y = [float(m) for m in re.findall(r"([\d.]+) Mbits/sec", f.read_text())][:-1]
    plt.plot(y, label=f.name)
plt.legend()
plt.savefig("plot.png")
