"""The steps of the specification, composed for a broker of many channels, and who chooses them.

They are one class for each chapter, each extending the one before: `core`, `delivering`,
`acknowledging`, `transacting`, `deadlettering`, `limiting`, `expiring`, `immediate`, and, where
there are mirrors, `mirroring`.
"""
