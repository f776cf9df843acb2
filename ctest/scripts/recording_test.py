# SPDX-FileCopyrightText: 2026 the ddproxy authors
# SPDX-License-Identifier: BSD-3-Clause
"""recording_test.py SCRIPTS: tests which models and recordings record-torch.py rejects, with one rank in this process. Exits with 77 if this Python has
no torch."""
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import torch
    import torch.distributed as dist
except ImportError:
    print("this Python has no torch")
    sys.exit(77)

sys.path.insert(0, sys.argv[1])
from torch_recording import gradients, reuse  # noqa: E402
from torch_recording.ranks import UsageError  # noqa: E402

GRADIENTS = "name,numel,seconds\nbias,3,0.1\nweight,6,0.2\nend_of_pass,0,0.3\n"
ALLREDUCE = "ranks,bytes,seconds\n1,4,0.1\n1,36,0.2\n"


class Reuse(unittest.TestCase):
    """The model has a weight of 6 elements and a bias of 3."""

    def setUp(self):
        self.folder_of_test = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder_of_test.cleanup)
        self.folder, self.model = Path(self.folder_of_test.name), torch.nn.Linear(2, 3)

    def read(self, recorded=GRADIENTS, table=ALLREDUCE):
        for name, text in (("gradients", recorded), ("allreduce", table)):
            (self.folder / f"{name}.csv").write_text(text)
        return reuse.gradients_of(self.folder, self.model)

    def refused(self, text, *tables):
        with self.assertRaises(UsageError) as caught:
            self.read(*tables)
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_accepts_the_recording_of_this_model(self):
        self.assertEqual(self.read(), [("bias", 3, 0.1), ("weight", 6, 0.2), ("end_of_pass", 0, 0.3)])

    def test_a_parameter_that_is_not_trained_has_no_gradient(self):
        self.model.bias.requires_grad_(False)
        self.assertEqual(len(self.read(GRADIENTS.replace("bias,3,0.1\n", ""))), 2)
        self.refused("bias has 3 elements there, and 0 in this model")

    def test_counts_elements_of_four_bytes(self):
        self.model = self.model.double()
        self.read(GRADIENTS.replace(",3,", ",6,").replace("t,6,", "t,12,"))
        self.refused("weight has 6 elements there, and 12 in this model")

    def test_refuses_the_recording_of_another_model(self):
        self.refused("gradients.csv belongs to another model: weight has 5 elements there, and 6 in this model", GRADIENTS.replace(",6,", ",5,"))
        self.refused("more has 1 elements there, and 0 in this model", GRADIENTS + "more,1,0\n")
        self.refused("bias has 0 elements there, and 3 in this model", GRADIENTS.replace("bias", "offset"))

    def test_refuses_a_recording_with_another_number_of_ranks(self):
        self.refused("allreduce.csv was recorded on 2 ranks, but this run has 1", GRADIENTS, ALLREDUCE.replace("\n1,", "\n2,"))
        self.refused("allreduce.csv was recorded on 1 and 2 ranks", GRADIENTS, ALLREDUCE + "2,8,1\n")
        self.refused("allreduce.csv was recorded on no ranks", GRADIENTS, "ranks,bytes,seconds\n")

    def test_refuses_invalid_tables_and_a_missing_table(self):
        for text in ("name\nweight\n", "name,numel,seconds\nweight,many,0\n", "name,numel,seconds\nweight\n"):
            self.refused("gradients.csv: is not a table of record-torch.py", text)
        (self.folder / "allreduce.csv").unlink()
        with self.assertRaisesRegex(UsageError, "allreduce.csv: No such file or directory; record without --reuse first"):
            reuse.check_ranks(self.folder / "allreduce.csv")


class Names(unittest.TestCase):
    def test_refuses_parameter_names_that_a_table_cannot_hold(self):
        for name in ("a,b", "#a", " a", "a\nb", "end_of_pass"):
            model = torch.nn.Module()
            model.register_parameter(name, torch.nn.Parameter(torch.ones(2)))
            with self.assertRaisesRegex(UsageError, "gradients.csv cannot hold this name") as caught:
                gradients.record(model, lambda net: next(net.parameters()).sum(), torch.device("cpu"), 1)
            self.assertNotIn("\n", str(caught.exception))


class Sparse(unittest.TestCase):
    def rows(self, sparse):
        model = torch.nn.Embedding(8, 2, sparse=sparse)
        return gradients.record(model, lambda net: net(torch.tensor([1, 2])).sum(), torch.device("cpu"), 1)

    def test_refuses_a_sparse_gradient(self):
        with self.assertRaisesRegex(UsageError, "the gradient of weight, on rank 0, is sparse"):
            self.rows(True)
        self.assertEqual([row[:2] for row in self.rows(False)], [("weight", 16), ("end_of_pass", 0)])


if __name__ == "__main__":
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    unittest.main(argv=sys.argv[:1])
