import type { FailureSigns } from '../../contract/trainer.ts';

/** Output of torch, transformers and Python when a training fails. */
export const torchFailures: FailureSigns = {
  printed: [
    [
      'gpu_out_of_memory',
      /CUDA out of memory|CUDA error: out of memory|torch(\.cuda)?\.OutOfMemoryError|HIP out of memory|CUBLAS_STATUS_ALLOC_FAILED/,
    ],
    // torch's writer only reports a short write.
    [
      'disk_full',
      /No space left on device|Disk quota exceeded|PytorchStreamWriter failed writing|unexpected pos \d+ vs/,
    ],
    [
      'host_out_of_memory',
      /^MemoryError|DefaultCPUAllocator: (can't|not enough)|Cannot allocate memory|std::bad_alloc|Unable to allocate .* for an array/m,
    ],
    ['port_in_use', /EADDRINUSE|Address already in use|errno: 98\b/i],
    [
      'missing_package',
      /ModuleNotFoundError|No module named \S+$|PackageNotFoundError|No package metadata was found for|ImportError: .*(requires|not installed|install)/m,
    ],
    [
      'rendezvous_timeout',
      /RendezvousTimeoutError|RendezvousConnectionError|DistStoreError|DistNetworkError|client socket has timed out|Watchdog caught collective operation timeout|Timed out (after \d+ seconds )?waiting for clients|NCCL (error|timeout)|ncclRemoteError|ncclSystemError|Connection closed by peer/i,
    ],
  ],
  unreadable:
    /PytorchStreamReader failed|SafetensorError|EOFError|UnpicklingError|JSONDecodeError|invalid load key|not a ZIP archive|\.metadata|CheckpointException/,
  wrongModel:
    /does not appear to have a file named|is not a local folder and is not a valid model identifier|Repo id must|Unrecognized model in|should have a `model_type` key|does not recognize this architecture|Can't load (the )?(configuration|tokenizer|model)|Error no file named|size mismatch for|ignore_mismatched_sizes|LocalEntryNotFoundError|couldn't connect to 'https:\/\/huggingface\.co'|Can't find .*config\.json/,
};
