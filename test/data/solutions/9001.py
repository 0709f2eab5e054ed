class Solution:
    def countWindows(self, heights: List[int], k: int) -> int:
        windows = [heights[start : start + k] for start in range(len(heights) - k + 1)]
        return sum(window == sorted(window, reverse=True) for window in windows)
