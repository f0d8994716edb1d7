-- In how many states is an ack outstanding for a message whose only copy is not on disk?
WITH
  outstanding AS (
    -- One row for each state, and each message in it that the publisher has heard nothing of.
    SELECT *, explode(array_except(publisher_sent,
                                   array_union(publisher_confirmed, publisher_nacked))) AS msg
    FROM states
    WHERE channel_open
  ),
  copies AS (
    -- Who has a copy: it is on the way there, or in the queue, or in the files.
    SELECT level, position, msg,
           string(array_contains(persistent, msg)) AS persistent,
           string(array_contains(channel_confirmed, msg)) AS decided,
           filter(map_keys(replicas_status), r ->
               array_contains(network_publishes[r], msg)
               OR array_contains(replicas_ready[r], msg)
               OR array_contains(replicas_pending[r], msg)
               OR replicas_store_level[r][msg] <> 'ABSENT') AS owners,
           filter(map_keys(replicas_status), r ->
               replicas_store_level[r][msg] = 'SYNCED') AS on_disk
    FROM outstanding
  )
SELECT coalesce(persistent, 'any') AS persistent,
       coalesce(decided, 'any') AS decided,
       count(DISTINCT level, position) AS states
FROM copies
WHERE size(owners) = 1 AND size(on_disk) = 0
GROUP BY GROUPING SETS ((), (persistent, decided))
ORDER BY persistent, decided
