class Solution:
    def resultsArray(self, queries: List[List[int]], k: int) -> List[int]:
        nearest = []
        results = []
        for x, y in queries:
            heappush(nearest, -(abs(x) + abs(y)))
            if len(nearest) > k:
                heappop(nearest)
            results.append(-nearest[0] if len(nearest) == k else -1)
        return results
