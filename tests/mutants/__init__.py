"""Sealed matches with every kind of record, and files in which one signed thing is another.

`matches` plays them, `schema` reads off the structs what there is to change, `change` and `evidence` make the files,
and `both` has two verifiers judge them: ours, and the one that was written from the documents alone.
"""
