"""Speed, memory and accuracy against named peers and limits: ``python -m benchmarks``, or ``make benchmarks``.

One module per subject, which declares ``BENCHMARK = Benchmark(…)``; a new module is found by itself.
"""
