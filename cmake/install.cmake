# Installing: the program, and two CMake packages. mqbridge-sdk is for plugin authors (mqb::plugin_api, mqb::sdk, mqb_add_plugin());
# mqbridge is for applications that embed routes (mqb::core, mqb::loading, mqb::state). mqb_add_plugin installs each plugin.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set(mqb_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake")

# Moves `targets` into the export set `set` under the name mqb::NAME; skips what a build tree does not have.
function(mqb_export set)
    foreach(target IN LISTS ARGN)
        if(TARGET ${target})
            string(REGEX REPLACE "^mqb_" "" name ${target})
            set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
            install(TARGETS ${target} EXPORT ${set} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
        endif()
    endforeach()
endfunction()

# Writes the package `package` around its export set.
function(mqb_install_package package compatibility)
    set(folder "${mqb_cmake_dir}/${package}")
    configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/${package}-config.cmake.in" "${PROJECT_BINARY_DIR}/${package}-config.cmake"
        INSTALL_DESTINATION "${folder}" NO_SET_AND_CHECK_MACRO)
    write_basic_package_version_file("${PROJECT_BINARY_DIR}/${package}-config-version.cmake" COMPATIBILITY ${compatibility} ${ARGN})
    install(FILES "${PROJECT_BINARY_DIR}/${package}-config.cmake" "${PROJECT_BINARY_DIR}/${package}-config-version.cmake"
        DESTINATION "${folder}" COMPONENT development)
    install(EXPORT ${package} NAMESPACE mqb:: FILE ${package}-targets.cmake DESTINATION "${folder}" COMPONENT development)
endfunction()

# Installs the headers of `folder` so that they are included as "folder/name.hpp".
function(mqb_install_headers folder)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mqbridge/${folder}"
        COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*_test.hpp" EXCLUDE)
endfunction()

if(TARGET mqbridge)
    install(TARGETS mqbridge RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(TARGET mqb_plugin_api AND TARGET mqb_sdk)
    mqb_export(mqbridge-sdk mqb_plugin_api mqb_sdk)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugin-api/include/" "${PROJECT_SOURCE_DIR}/sdk/include/"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/sdk/cmake/" DESTINATION "${mqb_cmake_dir}/mqbridge-sdk" COMPONENT development USE_SOURCE_PERMISSIONS)
    mqb_install_package(mqbridge-sdk SameMajorVersion ARCH_INDEPENDENT)

    if(TARGET mqb_core AND TARGET mqb_loading)
        mqb_export(mqbridge mqb_asio mqb_re2 mqb_yaml mqb_core mqb_loading mqb_state)
        foreach(target IN ITEMS mqb_core mqb_loading mqb_state)
            if(TARGET ${target})
                target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mqbridge>")
            endif()
        endforeach()
        mqb_install_headers(core)
        mqb_install_headers(host/loading)
        mqb_install_headers(host/state)
        mqb_install_package(mqbridge SameMinorVersion)
    endif()
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME "mqbridge-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
include(CPack)
