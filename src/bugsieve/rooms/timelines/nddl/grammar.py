"""The grammar of NDDL for Lark, and the words that are not names."""

from __future__ import annotations

from bugsieve.rooms.timelines.nddl.relations import RELATIONS

GRAMMAR = r"""
file: statement*

?statement: simple | branch | enumeration | class_ | announced | rule_
?simple: variables | assignment | constraint | comparison | relation | call | demand
       | allocation ";" | noop

noop: ";"
enumeration: ENUM IDENT "{" IDENT ("," IDENT)* "}"
class_: CLASS IDENT [EXTENDS IDENT] "{" class_item* "}"
announced: CLASS IDENT ";"
?class_item: variables | constructor | predicate | noop
constructor: IDENT "(" [parameter ("," parameter)*] ")" block
parameter: IDENT IDENT
predicate: PREDICATE IDENT block
rule_: IDENT "::" IDENT block
block: "{" statement* "}"

variables: IDENT named ("," named)* ";"
named: IDENT                  -> plain
     | IDENT "=" value        -> initialised
     | IDENT "(" value ")"    -> initialised
     | IDENT ":" block        -> filtered

assignment: name "=" value ";"
          | name IN value ";"
constraint: IDENT "(" [value ("," value)*] ")" ";"
comparison: sum COMPARE sum ";"
branch: IF "(" condition ")" body [ELSE body]
?body: block | simple
condition: sum COMPARE sum -> compared
         | sum             -> tested
call: name "." METHOD "(" [value ("," value)*] ")" ";"
    | METHOD "(" [value ("," value)*] ")" ";"
demand: DEMAND "(" targets ")" ";"
relation: RELATION related ";"
        | label RELATION related ";"
label: IDENT | THIS
?related: "(" targets ")" | bare
bare: IDENT | THIS
targets: target ("," target)*
target: name [IDENT]

?value: sum | allocation
allocation: NEW IDENT "(" [value ("," value)*] ")"
?sum: product
    | sum SUM product -> arithmetic
?product: primary
    | product PRODUCT primary -> arithmetic
?primary: number | text | truth | name | range | choice | "(" sum ")"
number: NUMBER
      | SUM NUMBER
text: STRING
truth: TRUE | FALSE
range: "[" bound [","] bound "]"
bound: NUMBER | SUM NUMBER | INFINITE | SUM INFINITE
choice: "{" value ("," value)* "}"
name: (IDENT | THIS)
    | name "." IDENT

IDENT: /[A-Za-z_$][A-Za-z0-9_$]*/
NUMBER: /(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[lLfFdD]?/
STRING: /"([^"\\\n]|\\.)*"/
COMPARE: "==" | "!=" | "<=" | ">=" | "<" | ">"
SUM: "+" | "-"
PRODUCT: "*"
COMMENT: /\/\*(.|\n)*?\*\// | /\/\/[^\n]*/
INCLUDE: /#include[ \t]+"[^"\n]*"/
%ignore /[ \t\r\n\f]+/
%ignore COMMENT
%ignore INCLUDE
%declare ENUM CLASS EXTENDS PREDICATE IN IF ELSE NEW THIS TRUE FALSE INFINITE
%declare METHOD DEMAND RELATION UNSUPPORTED
"""

METHODS = ("specify", "activate", "close", "super")
_UNSUPPORTED = (
    *("action", "condition", "constraint", "effect", "filter", "foreach", "rejectable", "typedef"),
    *("cancel", "constrain", "free", "merge", "reject", "reset"),
)

_OWN_KIND = [
    "enum",
    "class",
    "extends",
    "predicate",
    "in",
    "if",
    "else",
    "new",
    "this",
    "true",
    "false",
]

KEYWORDS: dict[str, str] = {
    **{word: word.upper() for word in _OWN_KIND},
    "inf": "INFINITE",
    "inff": "INFINITE",
    "goal": "DEMAND",
    "fact": "DEMAND",
    **dict.fromkeys(METHODS, "METHOD"),
    **dict.fromkeys(RELATIONS, "RELATION"),
    **dict.fromkeys(_UNSUPPORTED, "UNSUPPORTED"),
}
"""Which kind of word each one is that cannot be a name."""
