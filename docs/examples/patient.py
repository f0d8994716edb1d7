"""Say less often, but say it right: wait with acks until one frame covers them all."""

from ackproof.lang import Design, Holds, handler, require
from ackproof.spec.channel import Channel


class PatientChannel(Channel):
    @handler
    def flush(self) -> None:
        require(not self.unconfirmed)
        super().flush()


design = Design(
    claim="Acks may wait until nothing is unconfirmed.",
    replace=(PatientChannel,),
    expect=(Holds("tiny"),),
)
