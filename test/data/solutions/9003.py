class Solution:
    def mergeTolls(self, tolls: List[List[int]]) -> List[List[int]]:
        sums = collections.Counter()
        for gate, fee in tolls:
            sums[gate] += fee
        return sorted([gate, fee] for gate, fee in sums.items())
