#!/usr/bin/env python3
"""Checks the deployment files: Dockerfile, docker-compose.yml and deploy.

Needs PyYAML, and kubectl for the files of Kubernetes. The packages check-jsonschema and
kubernetes-validate check against the schemas of Compose and Kubernetes; haproxy, promtool,
systemd-analyze and docker compose check their own files. Tests without their tool are skipped; -v names them.
"""

import http.server
import importlib.util
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest

import support
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
KUBERNETES = ROOT / "deploy" / "kubernetes"
# The oldest version that is tested.
KUBERNETES_VERSION = "1.30"
USER = 65532


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rendered(directory):
    return list(yaml.safe_load_all(output("kubectl", "kustomize", str(directory))))


def of_kind(objects, kind):
    (found,) = [item for item in objects if item["kind"] == kind]
    return found


def has(package):
    return importlib.util.find_spec(package) is not None


class Dockerfile(unittest.TestCase):
    TEXT = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    CARGO = (ROOT / "Cargo.toml").read_text()

    def test_the_build_image_has_the_minimum_rust_version(self):
        needed = re.search(r'rust-version = "1\.(\d+)"', self.CARGO)[1]
        image = re.search(r"^ARG BUILD_IMAGE=rust:1\.(\d+)", self.TEXT, re.M)[1]
        self.assertGreaterEqual(int(image), int(needed))

    def test_cargo_accepts_the_empty_program(self):
        commands = re.search(r"^RUN (.*?) && rustc", self.TEXT, re.M)[1]
        with tempfile.TemporaryDirectory() as directory:
            for name in ["Cargo.toml", "Cargo.lock"]:
                shutil.copy(ROOT / name, directory)
            shutil.copytree(ROOT / "crates", pathlib.Path(directory, "crates"))
            subprocess.run(["sh", "-c", commands], cwd=directory, check=True)
            # Cargo first looks for the files of all targets.
            command = ["cargo", "build", "--locked", "--bin", "none"]
            done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
            self.assertIn("no bin target named `none`", done.stderr)

    def test_versions_match_the_crate(self):
        version = re.search(r'^version = "(.*)"', self.CARGO, re.M)[1]
        self.assertIn(f"\nARG VERSION={version}\n", self.TEXT)
        tag = f"newTag: {version}\n"
        for directory in ["base", "full-tables"]:
            self.assertIn(tag, (KUBERNETES / directory / "kustomization.yaml").read_text())

    def test_the_image_is_hardened_and_has_a_health_check(self):
        bare, runtime = self.TEXT.split("\nFROM ")[3:]
        for line in [
            f"USER {USER}:{USER}",
            "STOPSIGNAL SIGTERM",
            'ENTRYPOINT ["/usr/local/bin/scramble444"]',
        ]:
            self.assertIn(f"\n{line}\n", bare)
        self.assertRegex(bare, r'HEALTHCHECK .* CMD \["/usr/local/bin/scramble444", "healthcheck"\]')
        self.assertIn("PORT=4444", bare)
        self.assertNotIn("\nUSER ", runtime)

    def test_the_image_of_a_release_differs_only_in_its_files(self):
        release = (ROOT / "deploy" / "Dockerfile.release").read_text().replace("\\\n", " ")
        bare = self.TEXT.split("\nFROM ")[3]

        def settings(text):
            lines = [" ".join(line.split()) for line in text.splitlines()]
            return [line for line in lines if re.match("(?!COPY|ARG|LABEL|FROM)[A-Z]+ ", line)]

        self.assertEqual(settings(release), settings(bare))
        # Nothing is downloaded.
        self.assertEqual(re.findall("^FROM (.*)$", release, re.M), ["scratch"])
        directory = re.search(r"SCRAMBLE444_TABLES_DIR=(\S+)", release)[1]
        self.assertIn(f"\nCOPY --chown={USER}:{USER} image-tables/ {directory}/\n", release)


class Compose(unittest.TestCase):
    def setUp(self):
        self.file = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
        self.services = self.file["services"]

    def test_every_service_is_hardened_and_limited(self):
        for name, service in self.services.items():
            with self.subTest(name):
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertEqual(service["security_opt"], ["no-new-privileges"])
                limits = service["deploy"]["resources"]["limits"]
                self.assertTrue({"cpus", "memory"} <= limits.keys())
                self.assertIn("restart", service)

    def test_only_loopback_is_published(self):
        published = [
            port for service in self.services.values() for port in service.get("ports", [])
        ]
        self.assertEqual(len(published), 3)
        for port in published:
            self.assertRegex(port, r"^\$\{\w+:-127\.0\.0\.1:\d+\}:\d+$")

    def test_only_the_network_of_the_containers_reaches_metrics(self):
        for name in ["scramble444", "full", "replica"]:
            service = self.services[name]
            address = service["environment"]["SCRAMBLE444_METRICS_LISTEN"]
            self.assertEqual(address, "${SCRAMBLE444_METRICS_LISTEN-0.0.0.0:9444}")
            self.assertFalse([one for one in service.get("ports", []) if one.endswith(":9444")])

    def test_pages_of_other_sites_cannot_use_published_ports(self):
        for service in ["scramble444", "full", "replica"]:
            hosts = self.services[service]["environment"]["SCRAMBLE444_ALLOWED_HOST"]
            # If the variable is set, but empty, all hosts are allowed.
            self.assertEqual(hosts, "${SCRAMBLE444_ALLOWED_HOST-localhost}")

    def test_the_build_image_can_be_another_one(self):
        # Without a value, that of the environment, or else of the Dockerfile.
        self.assertEqual(self.services["scramble444"]["build"]["args"], {"BUILD_IMAGE": None})
        self.assertRegex((ROOT / "Dockerfile").read_text(), r"(?m)^ARG BUILD_IMAGE=\S+$")

    def test_servers_have_a_health_check_and_time_to_stop(self):
        for name in ["scramble444", "full", "replica"]:
            service = self.services[name]
            self.assertEqual(service["healthcheck"]["test"][-1], "healthcheck")
            self.assertGreater(int(service["stop_grace_period"].rstrip("s")), 30)
        [timeout] = re.findall(r"timeout server (\d+)s", (ROOT / "deploy/haproxy.cfg").read_text())
        grace = self.services["proxy"]["stop_grace_period"].rstrip("s")
        self.assertGreater(int(grace), int(timeout))

    def test_full_tables_are_built_before_the_service_reads_them(self):
        tables, full = [self.services[name] for name in ["tables", "full"]]
        self.assertEqual(
            full["depends_on"], {"tables": {"condition": "service_completed_successfully"}}
        )
        self.assertEqual(full["volumes"], [tables["volumes"][0] + ":ro"])
        self.assertIn(tables["volumes"][0].split(":")[0], self.file["volumes"])
        self.assertEqual(full["environment"]["SCRAMBLE444_PROFILE"], "full")
        # Without --method, those of five-stage and reduction.
        self.assertEqual(tables["command"], ["tables", "build", "--profile", "full"])

    @unittest.skipUnless(has("check_jsonschema"), "needs check-jsonschema")
    def test_files_match_their_schemas(self):
        for schema, file in [
            ("vendor.compose-spec", "docker-compose.yml"),
            ("vendor.github-workflows", ".github/workflows/gate.yml"),
        ]:
            schema = ["--builtin-schema", schema]
            output(sys.executable, "-m", "check_jsonschema", *schema, str(ROOT / file))

    def test_docker_compose_accepts_the_file(self):
        if (
            not shutil.which("docker")
            or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode
        ):
            self.skipTest("needs docker compose")
        output("docker", "compose", "--project-directory", str(ROOT), "--profile", "*", "config")

    @unittest.skipUnless(shutil.which("haproxy"), "needs haproxy")
    def test_haproxy_accepts_the_configuration(self):
        output("haproxy", "-c", "-q", "-f", str(ROOT / "deploy" / "haproxy.cfg"))

    @unittest.skipUnless(shutil.which("haproxy"), "needs haproxy")
    def test_clients_cannot_claim_an_address(self):
        received = queue.SimpleQueue()

        class Replica(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/v1/scrambles":
                    received.put(self.headers.get_all("X-Forwarded-For"))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Replica) as replica:
            threading.Thread(target=replica.serve_forever, daemon=True).start()
            instance = types.SimpleNamespace(port=replica.server_port)
            port = support.free_port()
            with support.proxy(support.proxy_config(port, [instance])):
                url = f"http://127.0.0.1:{port}/v1/scrambles"
                for claims in [(), ("9.9.9.9",), ("9.9.9.9, 172.18.0.1",), ("8.8.8.8", "10.0.0.1")]:
                    with self.subTest(claims):
                        self.request(url, claims)
                        self.assertEqual(received.get(timeout=10), ["127.0.0.1"])
            replica.shutdown()

    def request(self, url, claims):
        lines = [("X-Forwarded-For", claim) for claim in claims]
        headers = [word for name, value in lines for word in ("-H", f"{name}: {value}")]
        # Until the proxy has seen that the replica is healthy, it refuses connections or answers 503.
        waiting = ["--retry", "100", "--retry-delay", "1", "--retry-all-errors"]
        output("curl", "-sSf", *waiting, *headers, url)

    def test_documented_proxies_replace_the_addresses_that_clients_claim(self):
        texts = [ROOT / "deploy" / "haproxy.cfg", *(ROOT / "docs").glob("*.md")]
        for text in map(pathlib.Path.read_text, texts):
            self.assertNotRegex(text, r"(?m)^\s*option forwardfor|proxy_add_x_forwarded_for")


@unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
class Systemd(unittest.TestCase):
    UNIT = ROOT / "deploy" / "systemd" / "scramble444.service"

    def test_systemd_accepts_the_unit(self):
        with tempfile.TemporaryDirectory() as directory:
            unit = pathlib.Path(directory) / self.UNIT.name
            # The program need not be installed.
            text = self.UNIT.read_text().replace("/usr/local/bin/scramble444", "/bin/true")
            unit.write_text(text)
            command = ["systemd-analyze", "verify", "--man=no", str(unit)]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_invalid_arguments_do_not_restart_it(self):
        self.assertIn("\nRestartPreventExitStatus=2\n", self.UNIT.read_text())

    def test_its_head_installs_what_it_names(self):
        """Runs the commands of the head in a folder like that of a release, with another root."""
        text = self.UNIT.read_text()
        commands = re.findall(r"^#     (.*)$", text.split("[Unit]")[0], re.M)
        with tempfile.TemporaryDirectory() as directory:
            root, release = pathlib.Path(directory, "root"), pathlib.Path(directory, "release")
            for name in ["scramble444", "man/scramble444-serve.1", f"deploy/systemd/{self.UNIT.name}"]:
                file = release / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("#!/bin/sh\n" if name == "scramble444" else text)
            # Twice, as for an upgrade.
            for command in [one for one in commands if one.startswith("install ")] * 2:
                command = re.sub(r"(?<= )/(?=\w)", f"{root}/", command)
                subprocess.run(["sh", "-c", command], cwd=release, check=True)
            installed = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
            program, page = "usr/local/bin/scramble444", "usr/local/share/man/man1/scramble444-serve.1"
            self.assertEqual(installed, {program, page, f"etc/systemd/system/{self.UNIT.name}"})
            self.assertIn(f"\nExecStart=/{program} serve\n", text)
            self.assertIn("\nDocumentation=man:scramble444-serve(1)\n", text)
            self.assertTrue(os.access(root / program, os.X_OK))
        others = [one for one in commands if not one.startswith("install ")]
        self.assertEqual([one.split()[:2] for one in others], [["systemctl", one] for one in ["daemon-reload", "enable", "restart"]])

    def test_it_is_exposed_little(self):
        # At most 2.0 of 10.
        command = ["systemd-analyze", "security", "--offline=true", "--threshold=20"]
        done = subprocess.run([*command, str(self.UNIT)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_it_has_time_to_stop(self):
        (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", self.UNIT.read_text(), re.M)
        self.assertGreater(int(seconds), 30)


class Alerts(unittest.TestCase):
    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_prometheus_accepts_the_rules(self):
        output("promtool", "check", "rules", str(ROOT / "deploy" / "prometheus-rules.yml"))

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_alerts_fire_as_expected(self):
        output("promtool", "test", "rules", str(ROOT / "tests" / "data" / "alerts.yml"))

    def test_the_prometheus_operator_gets_the_same_rules(self):
        rules = yaml.safe_load((ROOT / "deploy" / "prometheus-rules.yml").read_text())
        monitoring = KUBERNETES / "monitoring"
        rule = yaml.safe_load((monitoring / "prometheus-rule.yaml").read_text())
        self.assertEqual((rule["kind"], rule["spec"]), ("PrometheusRule", rules))
        component = yaml.safe_load((monitoring / "kustomization.yaml").read_text())
        self.assertIn("prometheus-rule.yaml", component["resources"])

    def test_every_alert_is_documented(self):
        rules = yaml.safe_load((ROOT / "deploy" / "prometheus-rules.yml").read_text())
        document = (ROOT / "docs" / "operations.md").read_text()
        for group in rules["groups"]:
            for rule in group["rules"]:
                self.assertIn(f"`{rule['alert']}`", document)


# `cargo test --test http queueing` compares the metrics and labels with those of the program.
class Dashboard(unittest.TestCase):
    def setUp(self):
        self.file = json.loads((ROOT / "deploy" / "grafana" / "scramble444.json").read_text())
        self.panels = self.file["panels"]

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_prometheus_accepts_the_queries(self):
        values = {"$__rate_interval": "1m", "$__range": "1h"}
        rules = []
        for panel in self.panels:
            for target in panel["targets"]:
                query = target["expr"]
                for name, value in values.items():
                    query = query.replace(name, value)
                rules.append({"record": f"query_{len(rules)}", "expr": query})
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
            file.flush()
            output("promtool", "check", "rules", file.name)

    def test_all_queries_use_the_variables(self):
        names = [variable["name"] for variable in self.file["templating"]["list"]]
        self.assertEqual(names, ["datasource", "job", "instance", "route"])
        for panel in self.panels:
            self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"})
            for target in panel["targets"]:
                for selected in re.findall(r"(?:scramble444|process)_\w+(.{0,40})", target["expr"]):
                    self.assertTrue(selected.startswith('{job=~"$job", instance=~"$instance"'), selected)

    def test_panels_do_not_overlap(self):
        taken = set()
        for panel in self.panels:
            place = panel["gridPos"]
            cells = {
                (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
            }
            self.assertFalse(taken & cells, panel["title"])
            self.assertLessEqual(place["x"] + place["w"], 24)
            taken |= cells
        self.assertEqual(len({panel["id"] for panel in self.panels}), len(self.panels))


@unittest.skipUnless(shutil.which("kubectl"), "needs kubectl")
class Kubernetes(unittest.TestCase):
    def check_pod(self, template):
        spec = template["spec"]
        pod = spec["securityContext"]
        self.assertTrue(pod["runAsNonRoot"])
        self.assertEqual(pod["runAsUser"], USER)
        self.assertEqual(pod["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertFalse(spec["automountServiceAccountToken"])
        (container,) = spec["containers"]
        security = container["securityContext"]
        self.assertTrue(security["readOnlyRootFilesystem"])
        self.assertFalse(security["allowPrivilegeEscalation"])
        self.assertEqual(security["capabilities"], {"drop": ["ALL"]})
        for part in ["requests", "limits"]:
            self.assertEqual(set(container["resources"][part]), {"cpu", "memory"})
        return container

    def test_the_base_is_complete_and_hardened(self):
        objects = rendered(KUBERNETES / "base")
        template = of_kind(objects, "Deployment")["spec"]["template"]
        container = self.check_pod(template)
        for probe, path in [
            ("startup", "/livez"),
            ("liveness", "/livez"),
            ("readiness", "/readyz"),
        ]:
            self.assertEqual(container[probe + "Probe"]["httpGet"]["path"], path)
        self.assertEqual(len(template["spec"]["topologySpreadConstraints"]), 2)
        grace = template["spec"]["terminationGracePeriodSeconds"]
        self.assertGreater(grace, 30)
        variables = {one["name"]: one["value"] for one in container["env"]}
        readiness = container["readinessProbe"]
        unready = readiness["periodSeconds"] * readiness["failureThreshold"]
        self.assertGreater(int(variables["SCRAMBLE444_DRAIN_DELAY"]), unready)
        # Longer than ingress controllers keep idle connections, 60 s.
        self.assertGreater(int(variables["SCRAMBLE444_IDLE_TIMEOUT"]), 60)
        labels = template["metadata"]["labels"]
        for selector in [
            of_kind(objects, "Deployment")["spec"]["selector"]["matchLabels"],
            of_kind(objects, "Service")["spec"]["selector"],
            of_kind(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
            of_kind(objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        ]:
            self.assertLessEqual(selector.items(), labels.items())
        scaler = of_kind(objects, "HorizontalPodAutoscaler")["spec"]
        self.assertEqual(scaler["scaleTargetRef"]["kind"], "Deployment")
        self.assertGreaterEqual(scaler["minReplicas"], 2)
        self.assertNotIn("replicas", of_kind(objects, "Deployment")["spec"])
        policy = of_kind(objects, "NetworkPolicy")["spec"]
        self.assertEqual(
            (policy["policyTypes"], policy.get("egress")), (["Ingress", "Egress"], None)
        )
        # Each variable with an address has a port of the container, and each of these a port of the service.
        ports = {one["name"]: one["containerPort"] for one in container["ports"]}
        listened = {"http": "SCRAMBLE444_LISTEN", "metrics": "SCRAMBLE444_METRICS_LISTEN"}
        self.assertEqual({name: variables[one] for name, one in listened.items()},
                         {name: f"0.0.0.0:{port}" for name, port in ports.items()})
        service = of_kind(objects, "Service")["spec"]["ports"]
        self.assertEqual({one["name"]: one["targetPort"] for one in service}, {name: name for name in ports})
        # Clients do not reach the metrics.
        self.assertEqual([rule["ports"] for rule in policy["ingress"]], [[{"port": "http"}]])

    def test_a_job_writes_full_tables_and_replicas_only_read_them(self):
        objects = rendered(KUBERNETES / "full-tables")
        claim = of_kind(objects, "PersistentVolumeClaim")["metadata"]["name"]
        job = of_kind(objects, "Job")["spec"]["template"]
        server = of_kind(objects, "Deployment")["spec"]["template"]
        for template, read_only in [(job, False), (server, True)]:
            container = self.check_pod(template)
            (mount,) = container["volumeMounts"]
            self.assertEqual(mount.get("readOnly", False), read_only)
            (volume,) = template["spec"]["volumes"]
            self.assertEqual(volume["persistentVolumeClaim"]["claimName"], claim)
            variables = {item["name"]: item["value"] for item in container["env"]}
            self.assertEqual(variables["SCRAMBLE444_TABLES_DIR"], mount["mountPath"])
        self.assertEqual(variables["SCRAMBLE444_PROFILE"], "full")
        (container,) = job["spec"]["containers"]
        self.assertEqual(container["args"], ["tables", "build", "--profile", "full"])

    def with_monitoring(self):
        with tempfile.TemporaryDirectory() as directory:
            relative = os.path.relpath(KUBERNETES, os.path.realpath(directory))
            kustomization = {
                "resources": [relative + "/base"],
                "components": [relative + "/monitoring"],
                "labels": [{"pairs": {"release": "prometheus"}}],
            }
            (pathlib.Path(directory) / "kustomization.yaml").write_text(
                yaml.safe_dump(kustomization)
            )
            return rendered(directory)

    def test_the_monitor_selects_the_service(self):
        objects = self.with_monitoring()
        monitor, service = of_kind(objects, "ServiceMonitor"), of_kind(objects, "Service")
        selector = monitor["spec"]["selector"]["matchLabels"].items()
        self.assertLessEqual(selector, service["metadata"]["labels"].items())
        (endpoint,) = monitor["spec"]["endpoints"]
        self.assertEqual(endpoint["path"], "/metrics")
        (port,) = [one for one in service["spec"]["ports"] if one["name"] == endpoint["port"]]
        policies = [one["spec"] for one in objects if one["kind"] == "NetworkPolicy"]
        (policy,) = [one for one in policies if one["policyTypes"] == ["Ingress"]]
        (rule,) = policy["ingress"]
        self.assertEqual((port["targetPort"], rule["ports"]), ("metrics", [{"port": "metrics"}]))
        pod = of_kind(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
        self.assertLessEqual(policy["podSelector"]["matchLabels"].items(), pod.items())
        # As the comment of the component says.
        for kind in ["ServiceMonitor", "PrometheusRule"]:
            self.assertEqual(of_kind(objects, kind)["metadata"]["labels"]["release"], "prometheus")
        self.assertNotIn("release", pod)

    @unittest.skipUnless(has("kubernetes_validate"), "needs kubernetes-validate")
    def test_objects_match_the_kubernetes_schemas(self):
        import kubernetes_validate

        objects = rendered(KUBERNETES / "base") + rendered(KUBERNETES / "full-tables")
        for item in objects + self.with_monitoring():
            if item["kind"] not in ["ServiceMonitor", "PrometheusRule"]:
                kubernetes_validate.validate(item, KUBERNETES_VERSION, strict=True)


if __name__ == "__main__":
    unittest.main()
