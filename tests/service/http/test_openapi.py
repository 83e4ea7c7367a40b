"""The OpenAPI document, and thousands of requests made up from it: none is answered by a fault of ours."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from codemode.service.http._models import (  # pyright: ignore[reportPrivateUsage]
    ApprovalList,
    EventList,
    Run,
    RunList,
    ToolList,
)
from codemode.service.store import open_tokens

from ..serving import serve
from .kit import served

EXAMPLES = 25


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_made_up_requests_meet_no_server_error_and_the_documents_promises(tmp_path: Path) -> None:
    with open_tokens(str(tmp_path / "runs.sqlite")) as tokens:
        may = ["run", "read", "approve", "metrics"]
        grants = {"may": may, "limits": {"computeMs": 200, "wallMs": 1_000}}
        _, token = tokens.new("fuzz", grants=json.dumps(grants))
    with serve(tmp_path) as process:
        done = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run", f"{process.url}/openapi.json",
                "-H", f"Authorization: Bearer {token}",
                "--max-examples", str(EXAMPLES),
                "--phases", "examples,coverage,fuzzing,stateful",
                "--suppress-health-check", "all",
                "--seed", "8", "--generation-database", "none", "--no-color",
            ],
            check=False,
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-6_000:]
        process.end()


@pytest.mark.anyio
async def test_responses_have_the_shapes_that_the_document_names(tmp_path: Path) -> None:
    async with served(tmp_path) as service, service.client() as client:
        good = await client.run(
            "console.log(1); await tools.add({ a: 1, b: 2 }); return [null]", seed=3
        )
        bad = await client.run("null.x", description="fails")
        waits = await client.begin("await tools.send({ to: 'ada' })")
        await client.question()
        shapes: list[tuple[str, type]] = [
            (f"/v1/runs/{good['id']}", Run),
            (f"/v1/runs/{bad['id']}", Run),
            (f"/v1/runs/{waits}", Run),
            (f"/v1/runs/{good['id']}/events", EventList),
            ("/v1/runs", RunList),
            ("/v1/approvals", ApprovalList),
            ("/v1/tools", ToolList),
        ]
        for path, shape in shapes:
            TypeAdapter[Any](shape).validate_python((await client.get(path)).json())


@pytest.mark.anyio
async def test_every_operation_and_parameter_is_described(tmp_path: Path) -> None:
    async with served(tmp_path) as service, service.client() as client:
        document = (await client.get("/openapi.json")).json()
    assert set(document["paths"]) == {
        "/v1/runs", "/v1/runs/{run_id}", "/v1/runs/{run_id}/events", "/v1/approvals",
        "/v1/approvals/{approval_id}", "/v1/tools", "/v1/sdk", "/healthz", "/readyz", "/metrics",
    }  # fmt: skip
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (path, method)
            assert operation["description"], (path, method)
