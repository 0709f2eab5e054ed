class Solution:
    def getFinalState(self, nums: List[int], k: int, multiplier: int) -> List[int]:
        heap = [(number, place) for place, number in enumerate(nums)]
        heapify(heap)
        for _ in range(k):
            number, place = heap[0]
            heapreplace(heap, (number * multiplier, place))
        return [number for number, _ in sorted(heap, key=lambda pair: pair[1])]
