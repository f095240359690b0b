"""The same groups and the same tree, whatever engine holds the table."""

import datetime as dt
import math
from dataclasses import astuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree import Binarizer, OptimalTreeRegressor, compress
from optitree import compress as _  # noqa: F401
from optitree.engine import EngineTable
