class Solution:
    def maximumTotalSum(self, maximumHeight: List[int]) -> int:
        total = 0
        height = inf
        for most in sorted(maximumHeight, reverse=True):
            height = min(most, height - 1)
            if height < 1:
                return -1
            total += height
        return total
