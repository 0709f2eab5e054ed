class Solution:
    def findMaximumScore(self, nums: List[int]) -> int:
        # Each step is paid with the highest number so far.
        return sum(accumulate(nums[:-1], max))
