# syntax=docker/dockerfile:1
# The server in a container. It runs as a user that may write into /data and /tmp alone; docs/container.md shows how.
#
#     docker buildx build --sbom=true --provenance=true --tag vcontract .

# What --sbom lists is what the image holds, and what its packages were made of.
ARG BUILDKIT_SBOM_SCAN_STAGE=true

FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/vcontract \
    && /opt/vcontract/bin/pip install --no-cache-dir --require-hashes --requirement requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY spec spec
COPY codegen codegen
COPY generated generated
COPY handlers handlers
COPY runtime runtime
COPY migrations migrations
RUN /opt/vcontract/bin/pip install --no-cache-dir --no-deps . \
    && /opt/vcontract/bin/pip uninstall --yes pip

FROM python:3.11-slim-bookworm
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin vcontract \
    && install --directory --owner=vcontract --group=vcontract --mode=0700 /data
COPY --from=build /opt/vcontract /opt/vcontract
ENV PATH=/opt/vcontract/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/data \
    VCONTRACT_DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["vcontract"]
CMD ["serve", "--http", "0.0.0.0:8000"]
