class Solution:
    def countKConstraintSubstrings(self, s: str, k: int) -> int:
        count = 0
        start = 0
        ones = 0
        for end, digit in enumerate(s):
            ones += digit == "1"
            while ones > k and end - start + 1 - ones > k:
                ones -= s[start] == "1"
                start += 1
            count += end - start + 1
        return count
