"""The tables of hand-ins: their columns for Moodle and Canvas, and no cell that is a formula or breaks a table."""

import csv
import io
from unicodedata import category

import pytest

from pages.practice.hand_in import FULL, Row, for_canvas, for_moodle, table_of, with_same_seeds
from pages.reproduce.files import csv_of, text_alone
from tests.app.practice.handing_in import TASK, archive, check, files_in, hand_in


def test_no_file_breaks_the_table_of_the_others_or_makes_it_grow():
    many = {f"{i}{'n' * 9000}": hand_in(seeds={"qkv": "7"}, answers={"a": "half of \ud800"}) for i in range(60)}
    table = table_of(with_same_seeds([check(*found) for found in files_in("a.zip", archive(**many))]))
    assert "half of ?" in table
    assert len(table.encode()) < 60 * (20 + 2) * 200


def test_the_files_for_moodle_and_canvas_have_their_columns_and_no_formula():
    files = ["Ana Ruiz_4711_assignsubmission_file/hand-in.json", "ruizana_LATE_815_2204_hand-in.json", "=cmd|x.json"]
    seeds = {"seeds": {"qkv": "7"}}
    rows = with_same_seeds([check(file, hand_in(points={TASK: 2}, **seeds)) for file in files] + [check("bad", b"")])
    made = [make(rows).splitlines() for make in (for_moodle, for_canvas, table_of)]
    moodle, canvas, all_of_it = ([*csv.DictReader(lines)] for lines in made)
    assert [(row["Identifier"], row["Full name"], row["Grade"], row["Maximum Grade"]) for row in moodle] == [
        ("Participant 4711", "Ana Ruiz", "2", str(FULL))
    ]
    assert [(row["Student"], row["ID"], row["Attention, from scratch"]) for row in canvas] == [
        ("    Points Possible", "", str(FULL)),
        ("ruizana", "815", "2"),
    ]
    assert [row["same seed as"].count(";") for row in all_of_it] == [1, 1, 1, 0]
    assert all_of_it[2]["file"] == "'=cmd|x.json"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_no_cell_is_a_formula_wherever_a_spreadsheet_parts_the_lines(mark, sign):
    names = ["x;{}1;", "x, y;{}1", "x;; {}1", "x\t{}1", "x\n{}1", "x\r\n{}1", "{}1", " {}1", 'x";{}1', "x;\t{}1"]
    rows = [Row(name.format(sign), "", failed=[name.format(sign)]) for name in names]
    for make in (table_of, lambda rows: csv_of(["a", "b"], [["x, y", row.file] for row in rows])):
        cells = [cell for line in csv.reader(io.StringIO(make(rows), newline=None), delimiter=mark) for cell in line]
        assert len(cells) >= len(names)
        assert [cell for cell in cells if cell.strip().startswith(sign) and cell.strip() != sign] == []
    unseen = [chr(i) + sign for i in range(0x110000) if category(chr(i)) in ("Cf", "Cc", "Zs", "Zl", "Zp")]
    unseen += [blank + sign for blank in "\u115f\u1160\u3164\uffa0"]  # letters of Hangul
    assert [ascii(one) for one in unseen if "'" not in text_alone(f"{one}1")] == []
    assert '"-"' in csv_of(["a"], [["-"]])  # what has no more than a sign is as Moodle wants it
