-- In how many states is an ack outstanding for a message whose only copy is not on disk?
WITH
  speaking AS (
    -- One row for each state, and each channel in it that is open.
    SELECT *, explode(filter(map_keys(channels_open), c -> channels_open[c])) AS channel
    FROM states
  ),
  outstanding AS (
    -- And for each message of that channel that its publisher has heard nothing of.
    SELECT *, explode(array_except(publishers_sent[channel],
                                   array_union(publishers_confirmed[channel],
                                               publishers_nacked[channel]))) AS msg
    FROM speaking
  ),
  copies AS (
    -- Who has a copy: it is on the way there, or in the queue, or in the files.
    SELECT level, position, msg,
           string(array_contains(persistent, msg)) AS persistent,
           string(array_contains(channels_confirmed[channel], msg)) AS decided,
           filter(map_keys(replicas_status), r ->
               array_contains(casts_publishes[channel][r], msg)
               OR array_contains(replicas_ready[r], msg)
               OR array_contains(replicas_pending[r], msg)
               OR replicas_store_level[r][msg] <> 'ABSENT') AS owners,
           filter(map_keys(replicas_status), r ->
               replicas_store_level[r][msg] = 'SYNCED') AS on_disk
    FROM outstanding
  )
SELECT coalesce(persistent, 'any') AS persistent,
       coalesce(decided, 'any') AS decided,
       count(DISTINCT (level, position)) AS states
FROM copies
WHERE size(owners) = 1 AND size(on_disk) = 0
GROUP BY GROUPING SETS ((), (persistent, decided))
ORDER BY persistent, decided
