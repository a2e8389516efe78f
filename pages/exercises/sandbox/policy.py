"""The allowlists: what students' code may contain. Data alone; what is not in a list is refused."""


def words(text: str) -> set[str]:
    return set(text.split())


MAX_DEPTH, MAX_NODES, MAX_STRING, MAX_INTEGER_DIGITS = 60, 4000, 2000, 40

STATEMENTS = words(
    """
    Module Expr FunctionDef Return Assign AugAssign AnnAssign Delete For While If With Raise Try Assert Import
    ImportFrom Global Nonlocal Pass Break Continue
    """
)
EXPRESSIONS = words(
    """
    BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict Set ListComp SetComp DictComp GeneratorExp Yield YieldFrom
    Compare Call FormattedValue JoinedStr Constant Attribute Subscript Starred Name List Tuple Slice
    """
)
PARTS = words(
    """
    Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv Invert Not
    UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn comprehension ExceptHandler arguments arg keyword alias
    withitem
    """
)
NODES = STATEMENTS | EXPRESSIONS | PARTS

BUILTINS = words(
    """
    abs all any bool complex dict divmod enumerate filter float format frozenset int isinstance iter len list
map max min next pow range reversed round set slice sorted str sum tuple zip
ArithmeticError AssertionError Exception FloatingPointError IndexError KeyError MemoryError NameError
NotImplementedError OverflowError RecursionError RuntimeError StopIteration TypeError UserWarning ValueError
ZeroDivisionError
    """
)

NUMPY = words(
    """
    abs absolute add all allclose amax amin any append apply_along_axis arange argmax argmin argsort argwhere around
    array array2string array_equal array_repr array_split array_str asarray atleast_1d atleast_2d atleast_3d average
    bincount block broadcast_arrays broadcast_shapes broadcast_to
    cbrt ceil clip column_stack concat concatenate copy corrcoef cos cosh count_nonzero cov cross cumprod cumsum
    cumulative_sum
    deg2rad diag diag_indices diagflat diagonal diff divide divmod dot dsplit dstack
    einsum einsum_path empty empty_like equal errstate exp exp2 expand_dims expm1 eye
    fabs fill_diagonal finfo flip fliplr flipud float_power floor floor_divide fmax fmin fromfunction full full_like
    geomspace greater greater_equal heaviside histogram hsplit hstack hypot identity iinfo indices inner interp
    isclose isfinite isinf isnan isneginf isposinf isscalar ix_ kron less less_equal linspace log log10 log1p log2
    logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logspace mask_indices matmul matrix_transpose
    matvec max maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num nanargmax nanargmin nanmax
    nanmean nanmin nanstd nansum nanvar
    ndenumerate ndim ndindex negative nonzero not_equal ones ones_like outer pad partition percentile permute_dims
    piecewise positive pow power printoptions prod ptp put_along_axis putmask quantile rad2deg ravel reciprocal
    remainder repeat reshape rint roll rollaxis rot90 round searchsorted select set_printoptions shape sign signbit sin
    sinc sinh size sort split sqrt square squeeze
    stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose tri tril tril_indices
    tril_indices_from triu triu_indices triu_indices_from true_divide trunc unique unravel_index unstack var vdot
    vecdot vecmat vectorize vsplit vstack where zeros zeros_like
    e euler_gamma inf nan newaxis pi
    bool bool_ complex128 complex64 dtype float16 float32 float64 floating generic int16 int32 int64 int8 integer intp
    ndarray number uint8 uint16 uint32 uint64 linalg random testing
    """
)
LINALG = words(
    """
    norm det inv solve eig eigh eigvals eigvalsh svd qr cholesky matrix_rank pinv trace matmul outer diagonal cross
    vecdot multi_dot matrix_power
    """
)
RANDOM = words(
    """
    seed rand randn random random_sample normal standard_normal uniform randint choice permutation shuffle
    default_rng
    """
)
TESTING = words("assert_allclose assert_array_equal assert_array_almost_equal assert_almost_equal assert_equal")
MATH = words(
    """
    acos asin atan atan2 ceil comb copysign cos cosh degrees dist e erf exp expm1 fabs factorial floor fmod fsum gcd
    hypot inf isclose isfinite isinf isnan lcm ldexp log log10 log1p log2 nan perm pi pow prod radians sin sinh sqrt
    tan tanh tau trunc
    """
)
MODULES = {"numpy": NUMPY, "numpy.linalg": LINALG, "numpy.random": RANDOM, "numpy.testing": TESTING, "math": MATH}
SUBMODULES = {
    ("numpy", "linalg"): "numpy.linalg",
    ("numpy", "random"): "numpy.random",
    ("numpy", "testing"): "numpy.testing",
}
AT_HAND = {"np": "numpy", "numpy": "numpy", "math": "math"}  # names of modules that need no import
DROPPED = {"typing", "__future__", "numpy.typing", "collections.abc"}  # for annotations alone, which are dropped

METHODS = words(  # what may be read on any value
    """
    T mT all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal dot dtype fill flat flatten imag
    item itemsize max mean min nbytes ndim nonzero prod ravel real repeat reshape round searchsorted shape size sort
    squeeze std sum swapaxes take tolist trace transpose var
    reduce accumulate outer at eps tiny smallest_normal bits name kind
    append extend insert pop remove reverse index count clear
    get items keys values update setdefault
    add discard union intersection difference issubset issuperset
    join split strip lstrip rstrip upper lower title startswith endswith replace ljust rjust center zfill isdigit
    splitlines
    is_integer conjugate
    integers random normal standard_normal uniform choice permutation shuffle
    """
)
DUNDER_NAMES = {"__name__"}
CONTEXTS = {"errstate", "printoptions"}  # of numpy: what `with` is for

OUTSIDE = "it can reach outside the exercise"
WHY_NAME = dict.fromkeys(
    words(
        """
        open eval exec compile globals locals vars dir getattr setattr delattr hasattr breakpoint help exit quit
    memoryview bytearray bytes object super classmethod staticmethod property id hash callable os sys subprocess socket
    builtins importlib ctypes pickle
        """
    ),
    OUTSIDE,
) | {"input": "no one can type an answer while the tests run"}
WHY_ATTRIBUTE = {
    "format": 'use an f-string instead, for example f"{x:.2f}"',
    "format_map": "use an f-string instead",
    "resize": "use reshape instead",
}
WHY_KIND = {
    "ClassDef": "Classes are not needed here: write plain functions.",
    "Match": "match is not available here: use if / elif.",
    "TryStar": "except* is not available here: use except.",
    "TypeAlias": "Type aliases are not needed here.",
    "TemplateStr": "Template strings are not available here: use an f-string.",
} | dict.fromkeys(
    ["AsyncFunctionDef", "AsyncFor", "AsyncWith", "Await"],
    "async and await are not needed here: write plain functions.",
)
