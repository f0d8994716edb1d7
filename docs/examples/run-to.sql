-- The run that led first to a state in which an ack is decided, and the disk has nothing.
WITH RECURSIVE run (level, position, predecessor, step) AS (
  (SELECT level, position, predecessor, step
   FROM states
   WHERE array_contains(channels_confirmed['ch1'], 1) AND array_contains(persistent, 1)
     AND replicas_store_level['r1'][1] = 'WRITTEN'
   ORDER BY level, position
   LIMIT 1)
  UNION ALL
  SELECT s.level, s.position, s.predecessor, s.step
  FROM run JOIN states AS s ON s.level = run.level - 1 AND s.position = run.predecessor
)
SELECT level, position, step FROM run ORDER BY level
