"""Uses the client that openapi-python-client generated. run.ts checks its types and runs it beside that client."""

import sys
from http import HTTPStatus
from typing import Any

from queued_url_submission_service_client import AuthenticatedClient, Client
from queued_url_submission_service_client.api.account import get_balance, get_me, get_stats
from queued_url_submission_service_client.api.index_check import check_index
from queued_url_submission_service_client.api.service import get_service_info
from queued_url_submission_service_client.api.submissions import create_submission, get_submission, list_submissions
from queued_url_submission_service_client.models.check_index_body import CheckIndexBody
from queued_url_submission_service_client.models.create_submission_body import CreateSubmissionBody
from queued_url_submission_service_client.models.create_submission_body_service import CreateSubmissionBodyService
from queued_url_submission_service_client.models.list_submissions_status import ListSubmissionsStatus


def parsed(response: Any, status: HTTPStatus) -> Any:
    assert response.status_code == status, (response.status_code, response.content)
    assert response.parsed is not None, response.content
    return response.parsed


def main(base_url: str, key: str) -> None:
    client = AuthenticatedClient(base_url=base_url, token=key)
    urls = ["https://shop.example/py/a", "https://shop.example/py/b"]

    def create(idempotency_key: str, wanted: list[str]) -> Any:
        body = CreateSubmissionBody(urls=wanted, service=CreateSubmissionBodyService.FAST)
        return create_submission.sync_detailed(client=client, body=body, idempotency_key=idempotency_key)

    info = parsed(get_service_info.sync_detailed(client=Client(base_url=base_url)), HTTPStatus.OK)
    assert info.data.available is True
    before = parsed(get_balance.sync_detailed(client=client), HTTPStatus.OK).data.balance_micros
    created = parsed(create("python-smoke-1", urls), HTTPStatus.ACCEPTED)
    reference = created.data.reference
    parsed(create("python-smoke-1", urls), HTTPStatus.OK)
    after = parsed(get_balance.sync_detailed(client=client), HTTPStatus.OK).data.balance_micros
    assert after == before - round(created.data.charged * 1_000_000), "the same key is not charged again"

    conflict = parsed(create("python-smoke-1", ["https://shop.example/other"]), HTTPStatus.CONFLICT)
    assert conflict.error.code == "idempotency_conflict"
    invalid = parsed(create("python-smoke-2", [urls[0], urls[0]]), HTTPStatus.UNPROCESSABLE_ENTITY)
    assert invalid.error.code == "validation_failed"

    detail = parsed(get_submission.sync_detailed(reference, client=client, url_limit=1), HTTPStatus.OK)
    assert [detail.data.urls[0].url, detail.data.url_pagination.total] == [urls[0], 2]
    absent = parsed(get_submission.sync_detailed("sub_unknown", client=client), HTTPStatus.NOT_FOUND)
    assert absent.error.code == "submission_not_found"
    listed = parsed(
        list_submissions.sync_detailed(client=client, reference=reference, status=ListSubmissionsStatus.QUEUED, limit=1),
        HTTPStatus.OK,
    )
    assert listed.data.submissions[0].reference == reference

    checked = parsed(
        check_index.sync_detailed(
            client=client, body=CheckIndexBody(urls=["https://shop.example/a"]), idempotency_key="python-check-1"
        ),
        HTTPStatus.OK,
    )
    assert checked.data.results[0].status == "found"
    assert parsed(get_me.sync_detailed(client=client), HTTPStatus.OK).data.wallet.currency == "TRY"
    assert parsed(get_stats.sync_detailed(client=client), HTTPStatus.OK).data.urls.total >= 2
    other = AuthenticatedClient(base_url=base_url, token="wrong")
    assert parsed(get_balance.sync_detailed(client=other), HTTPStatus.UNAUTHORIZED).error.code == "unauthorized"


main(sys.argv[1], sys.argv[2])
