class Solution:
    def minNumberOfSeconds(self, mountainHeight: int, workerTimes: List[int]) -> int:
        def height(seconds: int) -> int:
            # The largest x with work * x * (x + 1) / 2 <= seconds.
            return sum((isqrt(8 * (seconds // work) + 1) - 1) // 2 for work in workerTimes)

        high = max(workerTimes) * mountainHeight * (mountainHeight + 1) // 2
        return bisect_left(range(high), mountainHeight, key=height)
