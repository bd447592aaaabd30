"""Prints scrambles of a service: scrambles.py SERVICE COUNT"""

import http.client, json, sys, time, urllib.error, urllib.request

def ask(url):
    try:
        response = urllib.request.urlopen(url, timeout=35)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response.status, response.headers, response.read()

def get(url, seconds):
    """The JSON at `url`. For `seconds`, tries again if the service is starting, busy or unreachable."""
    start, pause = time.monotonic(), 1
    end = start + seconds
    while True:
        again, wait = True, pause
        try:
            status, headers, body = ask(url)
            if status == 200:
                return json.loads(body)
            again = status in (429, 502, 503)
            after = headers.get("Retry-After", "")
            wait = max(pause, int(after)) if after.isdigit() else pause
            is_problem = headers.get_content_type() == "application/problem+json"
            detail = json.loads(body)["detail"] if is_problem else f"status {status}"
        except (OSError, http.client.HTTPException) as error:
            detail, again = repr(error), time.monotonic() + wait < start + 60
        print(detail, file=sys.stderr)
        if not again or time.monotonic() + wait > end:
            sys.exit(1)
        time.sleep(wait)
        pause = min(2 * pause, 8)

service, count = sys.argv[1].rstrip("/"), sys.argv[2]
if not service.startswith(("http://", "https://")):
    sys.exit("SERVICE is a URL, such as http://127.0.0.1:4444")
get(f"{service}/readyz", 600)
scrambles = get(f"{service}/v1/scrambles?count={count}", 60)["scrambles"]
print(*(it["scramble"] for it in scrambles), sep="\n")
if any(it.get("hurried") for it in scrambles):
    print("some scrambles are longer, as the service is busy", file=sys.stderr)
