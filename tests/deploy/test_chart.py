"""The Helm chart, linted and rendered by Helm's own library."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from headwater_backend.server.authentication import HEALTH
from headwater_backend.settings import ELSEWHERE, Settings, variables
from kit.shared import ROOT

helm = pytest.importorskip("helm_python", reason="helm-python-sdk has wheels for Linux on x86_64 only")

CHART = ROOT / "deploy" / "helm" / "headwater"
WITH_KEYS: dict[str, Any] = {"auth": {"keys": {"secret": "keys"}}}
WITH_EVERYTHING: dict[str, Any] = {
    "auth": {
        "keys": {"secret": "keys"},
        "oidc": {
            "issuer": "https://id.example.org",
            "audience": "headwater",
            "clientId": "explorer",
            "scopes": ["openid", "roles"],
        },
        "readersByNamespace": True,
    },
    "embedOrigins": ["https://wiki.example"],
    "neo4j": {"database": "lineage"},
    "rules": {"configMap": "rules"},
    "settings": {"HEADWATER_RATE_LIMIT": "600/minute"},
    "allowedHosts": ["lineage.internal"],
    "trustedProxies": ["10.1.0.0/16", "10.2.0.1"],
    "ingress": {"enabled": True, "host": "lineage.example.org", "tlsSecret": "tls", "className": "nginx"},
    "serviceMonitor": {"enabled": True, "bearerToken": {"secret": "prometheus"}},
    "image": {"pullSecrets": [{"name": "registry"}]},
    "podAnnotations": {"a": "b"},
    "nodeSelector": {"disk": "fast"},
}
NEO4J = {"NEO4J_USERNAME", "NEO4J_DATABASE"}


def rendered(values: dict[str, Any]) -> dict[str, Any]:
    """The objects of the chart by their kinds."""
    with helm.Chart.load(CHART) as chart:
        chart.validate_schema(values)
        texts = chart.render(values, name="prod", namespace="data")
    made = [yaml.safe_load(text) for name, text in texts.items() if name.endswith(".yaml")]
    return {each["kind"]: each for each in made if each}


def container(objects: dict[str, Any]) -> Any:
    (found,) = objects["Deployment"]["spec"]["template"]["spec"]["containers"]
    return found


@pytest.mark.parametrize("values", [WITH_KEYS, WITH_EVERYTHING])
def test_the_chart_passes_its_linter(values: dict[str, Any]) -> None:
    report = helm.lint(CHART, values, strict=True)
    assert report["total_charts_linted"] == 1
    assert report["errors"] == []
    assert [message for message in report["messages"] if message["severity"] > 1] == []


def test_it_makes_what_a_server_needs() -> None:
    assert set(rendered(WITH_KEYS)) == {"Deployment", "PodDisruptionBudget", "Service", "ServiceAccount"}
    assert set(rendered(WITH_EVERYTHING)) == {*rendered(WITH_KEYS), "Ingress", "ServiceMonitor"}
    assert "PodDisruptionBudget" not in rendered({**WITH_KEYS, "replicas": 1})


@pytest.mark.parametrize("values", [WITH_KEYS, WITH_EVERYTHING])
def test_the_server_starts_with_the_settings_of_the_chart(
    values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {each["name"]: each["value"] for each in container(rendered(values))["env"]}
    assert set(environment) <= {*variables(), *ELSEWHERE, *NEO4J}
    for name in variables():
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = Settings(host="0.0.0.0")
    assert settings.authenticates
    assert len(settings.trusted_proxies) == len(values.get("trustedProxies", []))
    assert [str(each).rstrip("/") for each in settings.embed_origins] == values.get("embedOrigins", [])
    assert settings.readers_by_namespace is values["auth"].get("readersByNamespace", False)
    provider = values["auth"].get("oidc", {})
    assert settings.oidc_client_id == provider.get("clientId")
    assert settings.oidc_scopes.split() == provider.get("scopes", ["openid"])
    pod = rendered(values)["Deployment"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] > settings.drain_seconds + settings.stop_seconds


@pytest.mark.parametrize(
    ("values", "ingress"),
    [
        ({"auth": {"allowUnauthenticated": True}}, set()),
        (WITH_EVERYTHING, {"lineage.example.org", "lineage.internal"}),
    ],
)
def test_the_server_is_called_by_the_service_s_names(values: dict[str, Any], ingress: set[str]) -> None:
    objects = rendered(values)
    environment = {each["name"]: each["value"] for each in container(objects)["env"]}
    name = objects["Service"]["metadata"]["name"]
    service = {name, f"{name}.data", f"{name}.data.svc", f"{name}.data.svc.cluster.local"}
    assert set(json.loads(environment["HEADWATER_ALLOWED_HOSTS"])) == service | ingress
    assert "HEADWATER_ALLOWED_HOSTS" not in {each["name"] for each in container(rendered(WITH_KEYS))["env"]}


@pytest.mark.parametrize("values", [WITH_KEYS, WITH_EVERYTHING])
def test_what_is_mounted_is_where_the_settings_look(values: dict[str, Any]) -> None:
    objects = rendered(values)
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    mounts = {each["name"]: each["mountPath"] for each in container(objects)["volumeMounts"]}
    assert set(mounts) == {each["name"] for each in pod["volumes"]}
    files = {each["value"] for each in container(objects)["env"] if each["value"].startswith("/")}
    assert files and all(file.rpartition("/")[0] in mounts.values() for file in files)


def test_the_container_may_do_as_little_as_it_needs() -> None:
    objects = rendered(WITH_KEYS)
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    assert container(objects)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_it_is_asked_for_its_health_where_it_tells_of_it() -> None:
    found = container(rendered(WITH_KEYS))
    probes = {name: found[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert {probe["path"] for probe in probes.values()} <= set(HEALTH)
    assert probes["readinessProbe"]["path"] == "/health/ready"
    assert probes["livenessProbe"]["path"] == "/health/live"
    (port,) = found["ports"]
    assert {probe["port"] for probe in probes.values()} == {port["name"]}
    assert port["containerPort"] == Settings.model_fields["port"].default


def test_the_service_finds_the_pods() -> None:
    objects = rendered(WITH_EVERYTHING)
    labels = objects["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    for selector in (
        objects["Service"]["spec"]["selector"],
        objects["Deployment"]["spec"]["selector"]["matchLabels"],
        objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
    ):
        assert selector.items() <= labels
    (rule,) = objects["Ingress"]["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"]["name"] == objects["Service"]["metadata"]["name"]
    assert objects["ServiceMonitor"]["spec"]["endpoints"][0]["path"] == "/metrics"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "say who may come in"),
        ({"auth": {"oidc": {"issuer": "https://id.example.org"}}}, "auth.oidc.audience"),
        ({"auth": {**WITH_KEYS["auth"], "oidc": {"clientId": "explorer"}}}, "auth.oidc.issuer"),
        ({"auth": {**WITH_KEYS["auth"], "readersByNamespace": "false"}}, "/auth/readersByNamespace"),
        ({**WITH_KEYS, "embedOrigins": ["https://wiki.example/page"]}, "/embedOrigins"),
        ({**WITH_KEYS, "ingress": {"enabled": True}}, "ingress.host"),
        ({**WITH_KEYS, "settings": {"PORT": "1"}}, "PORT"),
        ({**WITH_KEYS, "neo4j": {"uri": "bolt://me:secret@db"}}, "/neo4j/uri"),
        ({**WITH_KEYS, "stopSeconds": 0}, "/stopSeconds"),
        ({**WITH_KEYS, "trustedProxies": ["*"]}, "/trustedProxies"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_name(values: dict[str, Any], message: str) -> None:
    with pytest.raises(helm.HelmError, match=message):
        rendered(values)
