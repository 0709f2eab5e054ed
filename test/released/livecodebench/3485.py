class Solution:
    def maxPossibleScore(self, start: List[int], d: int) -> int:
        start.sort()

        def is_possible(score: int) -> bool:
            lowest = -inf
            for begin in start:
                chosen = max(begin, lowest)
                if chosen > begin + d:
                    return False
                lowest = chosen + score
            return True

        low, high = 0, start[-1] + d - start[0]
        while low < high:
            middle = (low + high + 1) // 2
            if is_possible(middle):
                low = middle
            else:
                high = middle - 1
        return low
