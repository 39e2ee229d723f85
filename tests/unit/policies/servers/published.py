"""The published messages, as Google's own library makes them from their descriptions."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD: Any = descriptor_pb2.FieldDescriptorProto
_MESSAGES: dict[str, list[tuple[str, int, str, str]]] = {
    "State": [("val", 1, "repeated", "int32")],
    "RequestFDRStateOperator": [("state", 1, "required", ".phrm.State")],
    "ResponseFDRStateOperator": [("operator", 1, "required", "int32")],
    "OperatorProb": [("operator", 1, "required", "int32"), ("prob", 2, "required", "float")],
    "ResponseFDRStateOperatorsProb": [("operator", 1, "repeated", ".phrm.OperatorProb")],
    "ResponseFDRTaskFD": [("task", 1, "required", "string")],
}


def _file() -> Any:
    file: Any = descriptor_pb2.FileDescriptorProto(
        name="phrm.proto", package="phrm", syntax="proto2"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for label, number, rule, kind in fields:
            field = message.field.add(name=label, number=number)
            field.label = getattr(_FIELD, f"LABEL_{rule.upper()}")
            if kind.startswith("."):
                field.type, field.type_name = _FIELD.TYPE_MESSAGE, kind
            else:
                field.type = getattr(_FIELD, f"TYPE_{kind.upper()}")
    return file


_POOL: Any = descriptor_pool.DescriptorPool()
_POOL.Add(_file())


def message(name: str) -> Any:
    """An empty message of that name."""
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"phrm.{name}"))()
