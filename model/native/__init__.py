"""The specification as a program: its steps on its objects, without what only proofs need.

Run as it is written, a specification is slow: it looks at all processes where a program knows those
it means, and keeps history that nobody asks for.  `translate` writes its classes anew, as Python
once more, for a program that has settled what an instance would settle: which constants have which
values, and which sorts have no elements.

* `ackproof.model.native.classes`: what is declared where, and which class a place is of;
* `ackproof.model.native.folding`: what is left of a method when all of that is known;
* `ackproof.model.native.inlining`, `hoisting`, `requirements`, `packing`: how it is put together;
* `ackproof.model.native.triggers`, `waking`: what may have become possible by what is written;
* `ackproof.model.native.translate`: the classes, as text and as classes;
* `ackproof.model.native.families`: processes that come one by one, as a program gets them.

What comes out is compared with what CPython makes of the specification itself, step by step
(`tests/model/native`).  `ackproof check --print-python` shows it: what is left of the specification
at an instance, each step in one place.
"""
