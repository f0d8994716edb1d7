"""The steps of the specification, composed for a broker of many channels, and who chooses them.

They are in chapters, each of which goes on where the one before ends: `taking`, `core`,
`consuming`, `transacting`, `arriving`, `processes`, and, where there are replicas, `partitioning`.
"""
