// sdk: everything that a plugin in C++ needs. sdk/README.md shows a whole plugin.
#pragma once

#include <mqb/sdk/batch_pool.hpp>
#include <mqb/sdk/blocking_consumer_edge.hpp>
#include <mqb/sdk/blocking_publisher_edge.hpp>
#include <mqb/sdk/json.hpp>
#include <mqb/sdk/metadata_text.hpp>
#include <mqb/sdk/metadata_writer.hpp>
#include <mqb/sdk/middleware.hpp>
#include <mqb/sdk/plugin.hpp>
#include <mqb/sdk/store.hpp>
#include <mqb/sdk/thread.hpp>
#include <mqb/sdk/timer.hpp>
#include <mqb/sdk/uuid.hpp>
