# Every third-party package of the house except the client libraries, which their plugins find. Debian's names stand in packages/.
include_guard(GLOBAL)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS headers json filesystem)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(simdjson REQUIRED)
find_package(date CONFIG REQUIRED) # time zones; GCC 12 has none in <chrono>
find_package(SQLite3 3.35 REQUIRED)

# mqb::yaml: yaml-cpp under one name; its releases export different ones.
add_library(mqb_yaml INTERFACE)
add_library(mqb::yaml ALIAS mqb_yaml)
if(TARGET yaml-cpp::yaml-cpp)
    target_link_libraries(mqb_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
    target_link_libraries(mqb_yaml INTERFACE yaml-cpp)
endif()

# mqb::re2: regular expressions in linear time under one name; older releases bring no CMake package.
find_package(re2 CONFIG QUIET)
add_library(mqb_re2 INTERFACE)
add_library(mqb::re2 ALIAS mqb_re2)
if(TARGET re2::re2)
    target_link_libraries(mqb_re2 INTERFACE re2::re2)
else()
    find_path(re2_include re2/re2.h REQUIRED)
    find_library(re2_library re2 REQUIRED)
    mark_as_advanced(re2_include re2_library)
    target_include_directories(mqb_re2 INTERFACE "$<BUILD_INTERFACE:${re2_include}>")
    target_link_libraries(mqb_re2 INTERFACE "$<BUILD_INTERFACE:${re2_library}>" $<INSTALL_INTERFACE:re2>)
endif()

# mqb::asio: Boost.Asio whose functions are compiled once, in this library, and not in every user's files.
add_library(mqb_asio STATIC "${CMAKE_CURRENT_LIST_DIR}/asio/asio.cpp")
add_library(mqb::asio ALIAS mqb_asio)
target_compile_features(mqb_asio PUBLIC cxx_std_20)
target_compile_definitions(mqb_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(mqb_asio PUBLIC Boost::headers Threads::Threads)
set_target_properties(mqb_asio PROPERTIES EXPORT_NAME asio)

# mqb::allocator: for programs. Plugins of a program that links it allocate from it too. Empty under sanitizers, which bring their own.
add_library(mqb_allocator INTERFACE)
add_library(mqb::allocator ALIAS mqb_allocator)
if(MQB_MIMALLOC)
    find_package(mimalloc REQUIRED)
    # A program that calls only malloc and new refers to no symbol of mimalloc by name: keep the library all the same.
    target_link_options(mqb_allocator INTERFACE "LINKER:--push-state,--no-as-needed,$<TARGET_FILE:mimalloc>,--pop-state")
endif()
